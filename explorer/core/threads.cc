#include "explorer/core/threads.h"

namespace xbdbg::explore {

std::uint64_t LockCycle::key() const {
  // Independent of where in the cycle the analysis began: a sum over the members.
  std::uint64_t sum = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t mixed = members[i].held.object * 0x9e37'79b9'7f4a'7c15 ^ members[i].wanted;
    mixed = (mixed ^ members[i].wanted_site << 17 ^ members[i].held.site) * 0xbf58'476d'1ce4'e5b9;
    sum += mixed ^ (mixed >> 29);
  }
  return sum;
}

bool ThreadTable::add(std::uint32_t thread) {
  while (threads_.size() <= thread) {
    if (held_.extend(kMaxHeldLocks) == nullptr || !threads_.push(Thread{})) return false;
  }
  threads_[thread] = Thread{};
  threads_[thread].exists = true;
  return true;
}

void ThreadTable::save() {
  saved_threads_.assign(threads_.begin(), threads_.size());
  saved_held_.assign(held_.begin(), held_.size());
  saved_waiters_.assign(waiters_.begin(), waiters_.size());
}

void ThreadTable::restore() {
  threads_.assign(saved_threads_.begin(), saved_threads_.size());
  held_.truncate(saved_held_.size());
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    const std::uint32_t first = thread * kMaxHeldLocks;
    for (std::uint32_t i = 0; i < threads_[thread].held_count; ++i) held_[first + i] = saved_held_[first + i];
  }
  waiters_.assign(saved_waiters_.begin(), saved_waiters_.size());
}

void ThreadTable::acquired(std::uint32_t thread, const Event& event) {
  Thread& t = threads_[thread];
  ++t.acquires_in_block;
  ++t.effects_in_block;
  t.signature = (t.signature ^ event.object ^ event.site << 20) * 0x9e37'79b9'7f4a'7c15 + 1;
  if (event.object_kind != ObjectKind::lock) {
    t.ownerless_in_block = t.ownerless_in_block || event.object_kind == ObjectKind::semaphore;
    return;
  }
  const std::uint32_t shared = (event.flags & kShared) != 0 ? 1 : 0;
  if (t.held_count < kMaxHeldLocks) held(thread)[t.held_count++] = Held{event.object, event.site, t.ordinal, shared};
  ++t.ordinal;
}

bool ThreadTable::released(std::uint32_t thread, std::uint64_t object) {
  Thread& t = threads_[thread];
  Held* locks = held(thread);
  for (std::uint32_t i = t.held_count; i-- > 0;) {
    if (locks[i].object != object) continue;
    const bool in_order = i + 1 == t.held_count;
    const Held released = locks[i];
    for (std::uint32_t j = i + 1; j < t.held_count; ++j) locks[j - 1] = locks[j];
    --t.held_count;
    t.has_last = t.held_count != 0;
    t.last = released;
    return in_order;
  }
  return true;  // a semaphore, or a lock nested too deep to be remembered
}

void ThreadTable::begin_block(std::uint32_t thread, std::uint64_t step) {
  Thread& t = threads_[thread];
  t.acquires_in_block = 0;
  t.effects_in_block = 0;
  t.ownerless_in_block = false;
  t.signature = 0;
  t.last_run = step;
  ++t.runs;
}

bool ThreadTable::is_held(std::uint64_t object) const {
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    for (std::uint32_t i = 0; i < threads_[thread].held_count; ++i) {
      if (held(thread)[i].object == object) return true;
    }
  }
  return false;
}

void ThreadTable::wait(std::uint32_t thread, std::uint64_t object, std::uint64_t mutex) {
  threads_[thread].waits = true;
  threads_[thread].mutex = mutex;
  waiters_.push(Waiter{thread, object});
}

bool ThreadTable::wake(std::uint32_t thread) {
  if (!threads_[thread].waits) return false;
  threads_[thread].waits = false;
  for (std::uint32_t i = 0; i < waiters_.size(); ++i) {
    if (waiters_[i].thread == thread) {
      waiters_.take(i);
      break;
    }
  }
  return true;
}

bool ThreadTable::predicted_cycle(std::uint32_t thread, std::uint64_t wanted, std::uint64_t site,
                                  LockCycle& cycle) const {
  const Thread& t = threads_[thread];
  if (t.held_count == 0) return false;
  cycle.count = 1;
  cycle.confirmed = false;
  cycle.members[0] = CycleMember{thread, t.ordinal, Held{}, wanted, site};
  return follow(thread, wanted, cycle);
}

// Depth first over the owners: a reader's lock may have several. Each owner must have taken its last lock while it
// held the one wanted of it; otherwise it never stood where it would have to stand.
bool ThreadTable::follow(std::uint32_t first, std::uint64_t wanted, LockCycle& cycle) const {
  for (std::uint32_t owner = 0; owner < threads_.size(); ++owner) {
    const Thread& t = threads_[owner];
    const Held* locks = held(owner);
    if (t.ended || (owner != first && !t.has_last)) continue;
    for (std::uint32_t i = 0; i < t.held_count; ++i) {
      if (locks[i].object != wanted) continue;
      if (owner == first) {
        if (cycle.count == 1) continue;  // it wants a lock it holds itself: not this analysis
        cycle.members[0].held = locks[i];
        return true;
      }
      bool seen = t.last.ordinal < locks[i].ordinal || cycle.count == kMaxCycle;
      for (std::uint32_t m = 0; m < cycle.count; ++m) seen = seen || cycle.members[m].thread == owner;
      if (seen) continue;
      cycle.members[cycle.count++] = CycleMember{owner, t.last.ordinal, locks[i], t.last.object, t.last.site};
      if (follow(first, t.last.object, cycle)) return true;
      --cycle.count;
    }
  }
  return false;
}

}  // namespace xbdbg::explore
