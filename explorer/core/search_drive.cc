// Predicted lock cycles are driven into: the schedule that found the cycle is run again, but each thread of the cycle
// stops before the lock it took last, and is then let go on to block for good. Whoever opens the saved schedule finds
// a process that really is deadlocked. A cycle that cannot be driven stays a prediction.
#include "explorer/core/search.h"

namespace xbdbg::explore {

void Search::plan_drive() {
  const std::uint64_t key = cycle_.key();
  Driven* known = nullptr;
  for (Driven& driven : driven_keys_) {
    if (driven.key == key) known = &driven;
  }
  bool room = known != nullptr || driven_keys_.push(Driven{key, 0});
  if (!room) return;
  if (known == nullptr) known = &driven_keys_.back();
  if (known->found == kConfirmed) return;
  ++known->found;
  if ((known->found & (known->found - 1)) != 0) return;
  script_.clear();
  for (std::uint32_t i = 0; i < tree_.depth(); ++i) {
    room = room && script_.push(Step{tree_[i].chosen, tree_[i].wake, tree_[i].kind});
  }
  driven_ = cycle_;
  drive_planned_ = room;
}

void Search::begin_drive() {
  drive_planned_ = false;
  drive_at_ = 0;
  mode_ = Mode::drive;
  oracle_.begin_first();
  ++result_.drives;
}

bool Search::stops_here(const Event& event) const {
  if (drive_at_ > script_.size() || event.object_kind != ObjectKind::lock) return false;
  for (std::uint32_t i = 1; i < driven_.count; ++i) {
    if (driven_.members[i].thread == event.thread)
      return driven_.members[i].stop_before == threads_[event.thread].ordinal;
  }
  return false;
}

Decision Search::pick_drive() {
  while (drive_at_ < script_.size()) {
    const Step step = script_[drive_at_++];
    const Entry* entry = roster_.find(step.thread);
    const bool parked = entry == nullptr || entry->is(kDelayed);
    if (step.kind == NodeKind::waiter || parked) continue;
    if (entry->standing == Standing::enabled) return decide(step.thread, Wake::normal);
    if (entry->is(kMayExpire)) return decide(step.thread, Wake::timeout);
    if (step.wake == Wake::spurious) return decide(step.thread, Wake::spurious);
  }
  drive_at_ = script_.size() + 1;
  bool all_blocked = true;
  for (std::uint32_t i = 0; i < driven_.count; ++i) {
    Entry* entry = roster_.find(driven_.members[i].thread);
    if (entry != nullptr && entry->is(kDelayed)) {
      entry->flags = 0;
      return decide(entry->thread, Wake::normal);
    }
    all_blocked = all_blocked && entry != nullptr && entry->standing == Standing::blocked;
  }
  return finish(all_blocked ? Ending::deadlock : Ending::ran_out);
}

void Search::end_drive() {
  driven_.confirmed = ending_ == Ending::deadlock;
  if (!driven_.confirmed) return;
  ++result_.drives_confirmed;
  const std::uint64_t key = driven_.key();
  for (Driven& driven : driven_keys_) {
    if (driven.key == key) driven.found = kConfirmed;
  }
}

// The cycle that threads are in, now that none can run: blocked on a lock whose owner is blocked on a lock whose ...
bool Search::real_cycle(LockCycle& cycle) {
  for (const Entry& start : roster_) {
    cycle.count = 0;
    cycle.confirmed = true;
    const Entry* at = &start;
    Held held{};  // what the member at hand holds of the one before it
    while (at != nullptr && at->standing == Standing::blocked && at->object_kind == ObjectKind::lock &&
           cycle.count < kMaxCycle) {
      CycleMember& member = cycle.members[cycle.count++];
      member = CycleMember{at->thread, 0, held, at->object, threads_[at->thread].wanted_site};
      const std::uint64_t wanted = at->object;
      const Entry* owner = nullptr;
      for (const Entry& other : roster_) {
        for (std::uint32_t i = 0; i < threads_[other.thread].held_count; ++i) {
          if (threads_.held(other.thread)[i].object != wanted) continue;
          owner = &other;
          held = threads_.held(other.thread)[i];
        }
      }
      if (owner == &start) {
        cycle.members[0].held = held;
        return cycle.count > 1;
      }
      at = owner;
    }
  }
  return false;
}

}  // namespace xbdbg::explore
