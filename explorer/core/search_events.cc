// What the operations of the program do to the search.
#include "explorer/core/search.h"

namespace xbdbg::explore {

namespace {

// Synchronisation objects as addresses of accesses, apart from the program's own memory.
std::uint64_t access_key(ObjectKind kind, std::uint64_t object) {
  return object ^ (std::uint64_t{0xa5} << 56 | static_cast<std::uint64_t>(kind) << 50);
}

constexpr std::uint32_t kRepetitions = 64;  // equal blocks in a row before a loop is taken for a polling one

}  // namespace

Reply Search::on(const Event& event) {
  XB_CORE_CHECK(event.thread < threads_.size());
  if (arena_.exhausted() && mode_ == Mode::tree) return ended(Ending::ran_out);
  switch (event.kind) {
    case EventKind::acquire:
      return on_acquire(event);
    case EventKind::blocked:
      return on_blocked(event);
    case EventKind::release:
      return on_release(event);
    case EventKind::wait:
      return on_wait(event);
    case EventKind::signal:
      return on_signal(event);
    case EventKind::broadcast:
      return on_broadcast(event);
    case EventKind::create:
      return on_create(event);
    case EventKind::end:
      return on_end(event);
    case EventKind::yield:
      return on_yield(event);
    case EventKind::atomic:
      touch(event.object);
      end_block(event.thread, Push::yes);
      return {Verdict::switch_thread, kNoThread};
    case EventKind::exit:
      return on_exit(event);
  }
  return {};
}

Reply Search::ended(Ending ending) {
  (void)finish(ending);
  const bool useless = ending == Ending::aborted || ending == Ending::diverged;
  return {useless ? Verdict::abandon : Verdict::finished, kNoThread};
}

// Blocks must be cut finer from now on. The positions of the path so far mean something else then: begin again.
Reply Search::restart() {
  restart_ = true;
  return ended(Ending::aborted);
}

bool Search::is_polled(std::uint64_t object) const {
  for (std::uint64_t known : polled_) {
    if (known == object) return true;
  }
  return false;
}

bool Search::note_polled(std::uint64_t object) {
  if (object == 0 || is_polled(object) || !polled_.push(object)) return false;
  return mode_ == Mode::tree || mode_ == Mode::tail;
}

// The block uses the object. Where synchronisation counts as an access, it is a write (a reader's lock: a read).
void Search::touch(std::uint64_t object, bool is_read) {
  if (mode_ != Mode::tree) return;
  if (cursor_ == tree_.depth()) tree_[block_node_].touched |= filter_bit(object);
  if (!pruning_ || options_.sync_conflicts == SyncConflicts::none) return;
  if (is_read) {
    accesses_.read(access_key(ObjectKind::lock, object));
  } else {
    accesses_.write(access_key(ObjectKind::lock, object));
  }
}

// A block also ends before an acquisition when a deadlock there could not be predicted from owners: semaphores have
// none, and locks released out of order fool the reverse lock chain. Oracles do not predict at all.
bool Search::splits_block(const Thread& thread, const Event& event) const {
  if (thread.acquires_in_block == 0 || (event.flags & kTrusted) != 0) return false;
  if (event.object_kind == ObjectKind::join) return false;
  if (event.object_kind == ObjectKind::semaphore || thread.ownerless_in_block) return true;
  return thread.held_count != 0 && (split_nested_ || mode_ == Mode::oracle);
}

Reply Search::on_acquire(const Event& event) {
  if (mode_ == Mode::before) {
    threads_.acquired(event.thread, event);
    return {};
  }
  if (mode_ == Mode::drive && stops_here(event)) {
    if (Entry* entry = roster_.find(event.thread)) entry->flags |= kDelayed;  // parked
    return {Verdict::again, kNoThread};
  }
  if (splits_block(threads_[event.thread], event)) {
    end_block(event.thread, Push::yes);
    return {Verdict::again, kNoThread};
  }
  threads_.acquired(event.thread, event);
  touch(event.object, (event.flags & kShared) != 0);
  if ((event.flags & kTrusted) != 0) return {};
  if ((event.flags & kTry) != 0 && note_polled(event.object)) return restart();
  if (polled_.empty() || !is_polled(event.object)) return {};
  end_block(event.thread, Push::yes);
  return {Verdict::switch_thread, kNoThread};
}

// Under the tree a thread that has taken something in its block is undone to the block's start. One that has not, and
// one that waits for something nobody owns, stays where it is: there is nothing to take back, or taking it back would
// hide a deadlock.
Reply Search::on_blocked(const Event& event) {
  const Thread& thread = threads_[event.thread];
  const bool is_lock = event.object_kind == ObjectKind::lock;
  if ((event.flags & kTimed) != 0 && is_lock && note_polled(event.object)) return restart();
  threads_[event.thread].wanted_site = event.site;
  if (is_lock && splits_block(thread, event)) {
    end_block(event.thread, Push::yes);
    return {Verdict::again, kNoThread};
  }
  const bool undoes = mode_ == Mode::tree && is_lock && (event.flags & kTimed) == 0;
  if (undoes && following() && thread.effects_in_block != 0) return ended(Ending::diverged);
  if (undoes && !following()) {
    if (detecting_) analyse_cycle(event);
    if (thread.effects_in_block != 0) {
      retry_undone_ = tree_.undo(block_node_, event.object_kind, event.object);
      ++(retry_undone_ ? result_.retried : result_.aborted);
      return ended(Ending::aborted);
    }
    ++result_.aborted;
  }
  end_block(event.thread, quiet_end(event.thread));
  set_blocked(event);
  return {Verdict::again, kNoThread};
}

// A block that ends without having shown anything to the others needs no branch: whatever they could do before it
// they can do after it.
Search::Push Search::quiet_end(std::uint32_t thread) const {
  const bool expired = mode_ == Mode::tree && block_node_ < tree_.depth() && tree_[block_node_].wake != Wake::normal;
  return threads_[thread].effects_in_block != 0 || expired ? Push::yes : Push::no;
}

void Search::set_blocked(const Event& event) {
  Entry* entry = roster_is_live() ? roster_.find(event.thread) : nullptr;
  if (entry == nullptr) return;
  entry->standing = Standing::blocked;
  entry->object_kind = event.object_kind;
  entry->object = event.object;
  entry->flags = static_cast<std::uint8_t>(kReally | ((event.flags & kTimed) != 0 ? kMayExpire : 0));
}

void Search::analyse_cycle(const Event& event) {
  LockCycle found;
  if (!threads_.predicted_cycle(event.thread, event.object, event.site, found)) return;
  ++result_.lock_cycles;
  if (result_.first_lock_cycle == 0) result_.first_lock_cycle = result_.paths + 1;
  if (cycle_found_) return;
  cycle_ = found;
  cycle_found_ = true;
  if (options_.drive_deadlocks) plan_drive();
}

Reply Search::on_release(const Event& event) {
  const bool in_order = threads_.released(event.thread, event.object);
  if (mode_ == Mode::before) return {};
  if ((event.flags & kTrusted) != 0) {
    if (roster_is_live()) roster_.unblock(event.object_kind, event.object);
    return {};
  }
  if (!in_order && detecting_ && !split_nested_ && mode_ == Mode::tree) {
    split_nested_ = true;
    return restart();
  }
  touch(event.object);
  end_block(event.thread, Push::yes, event.object_kind, event.object);
  return {Verdict::switch_thread, kNoThread};
}

Reply Search::on_wait(const Event& event) {
  if (event.object2 != 0) (void)threads_.released(event.thread, event.object2);
  touch(event.object);
  end_block(event.thread, Push::yes, ObjectKind::lock, event.object2);
  threads_.wait(event.thread, event.object, event.object2);
  if (Entry* entry = roster_is_live() ? roster_.find(event.thread) : nullptr) {
    entry->standing = Standing::waiting;
    entry->object = event.object;
    entry->flags = static_cast<std::uint8_t>(kReally | ((event.flags & kTimed) != 0 ? kMayExpire : 0));
  }
  return {Verdict::switch_thread, kNoThread};
}

// A woken thread first has to get its mutex again.
void Search::wake(std::uint32_t thread) {
  threads_.wake(thread);
  Entry* entry = roster_is_live() ? roster_.find(thread) : nullptr;
  if (entry == nullptr) return;
  const std::uint64_t mutex = threads_[thread].mutex;
  if (mutex == 0 || !threads_.is_held(mutex)) {
    roster_.enable(static_cast<std::uint32_t>(entry - roster_.begin()));
    return;
  }
  entry->standing = Standing::blocked;
  entry->object_kind = ObjectKind::lock;
  entry->object = mutex;
  entry->flags = kReally;
}

// The n-th of the waiters of `object`, in the order in which they came.
std::uint32_t Search::nth_waiter(std::uint64_t object, std::uint32_t n) const {
  for (const Waiter& waiter : threads_.waiters()) {
    if (waiter.object == object && n-- == 0) return waiter.thread;
  }
  return kNoThread;
}

bool Search::open_waiters(std::uint64_t object) {
  Node shape{};
  if (tree_.depth() == block_node_ + 1) {
    mass_ = tree_.top().mass / tree_.candidates(tree_.top());
    tree_.top().mass -= mass_;
  }
  shape.mass = mass_;
  shape.previous = previous_;
  shape.preemptions = static_cast<std::uint16_t>(preemptions_);
  shape.deviations = static_cast<std::uint16_t>(deviations_);
  shape.kind = NodeKind::waiter;
  bool room = tree_.open(shape, nullptr, 0);
  for (const Waiter& waiter : threads_.waiters()) {
    if (waiter.object != object) continue;
    room = room && tree_.add_entry(Entry{waiter.thread, Standing::enabled, 0, {}, 0, 0, kNoSet, 0});
  }
  return room;
}

// The waiter to wake: a choice when there are several.
std::uint32_t Search::choose_waiter(std::uint64_t object, bool& diverged) {
  std::uint32_t count = 0;
  for (const Waiter& waiter : threads_.waiters()) count += waiter.object == object ? 1 : 0;
  if (count <= 1) return nth_waiter(object, 0);
  if (mode_ == Mode::drive && drive_at_ < script_.size() && script_[drive_at_].kind == NodeKind::waiter) {
    return script_[drive_at_++].thread;
  }
  if (mode_ != Mode::tree) return nth_waiter(object, mode_ == Mode::oracle ? oracle_.waiter(count) : 0);
  if (cursor_ == tree_.depth() && !open_waiters(object)) return nth_waiter(object, 0);
  Node& node = tree_[cursor_];
  diverged = node.kind != NodeKind::waiter;
  if (diverged) return kNoThread;
  ++cursor_;
  if (node.open) {
    node.chosen = tree_.entries(node)[tree_.first_candidate(node)].thread;
    node.open = false;
    deviations_ = node.deviations + (node.retried ? 1u : 0u);
    preemptions_ = node.preemptions;
    mass_ = node.mass / tree_.candidates(node);
    node.mass -= mass_;
  }
  diverged = node.chosen >= threads_.size() || !threads_[node.chosen].waits;
  return diverged ? kNoThread : node.chosen;
}

Reply Search::on_signal(const Event& event) {
  bool diverged = false;
  Reply reply;
  reply.waiter = choose_waiter(event.object, diverged);
  if (diverged) return ended(Ending::diverged);
  ++threads_[event.thread].effects_in_block;
  touch(event.object);
  if (reply.waiter != kNoThread) wake(reply.waiter);
  const bool ends = threads_[event.thread].held_count == 0 && (event.flags & (kMore | kTrusted)) == 0;
  if (!ends || mode_ == Mode::before) return reply;
  end_block(event.thread, Push::yes);
  reply.verdict = Verdict::switch_thread;
  return reply;
}

Reply Search::on_broadcast(const Event& event) {
  ++threads_[event.thread].effects_in_block;
  touch(event.object);
  for (std::uint32_t i = 0; i < threads_.waiters().size();) {
    const Waiter waiter = threads_.waiters()[i];
    if (waiter.object == event.object) {
      wake(waiter.thread);
    } else {
      ++i;
    }
  }
  const bool ends = threads_[event.thread].held_count == 0 && (event.flags & kTrusted) == 0;
  if (!ends || mode_ == Mode::before) return {};
  end_block(event.thread, Push::yes);
  return {Verdict::switch_thread, kNoThread};
}

Reply Search::on_create(const Event& event) {
  const std::uint32_t child = static_cast<std::uint32_t>(event.object);
  if (!threads_.add(child)) return ended(Ending::ran_out);
  if (mode_ == Mode::before || roster_is_live()) roster_.append(child);
  if (mode_ == Mode::before) return {};
  end_block(event.thread, Push::yes);
  return {Verdict::switch_thread, kNoThread};
}

Reply Search::on_end(const Event& event) {
  threads_[event.thread].ended = true;
  touch(event.thread + (std::uint64_t{1} << 40));
  const bool ends_block = options_.ends_end_blocks && event.thread != 0;
  end_block(event.thread, ends_block ? Push::yes : quiet_end(event.thread), ObjectKind::join, event.thread);
  if (roster_is_live()) roster_.remove(event.thread);
  return {Verdict::switch_thread, kNoThread};
}

Reply Search::on_exit(const Event& event) {
  if (mode_ == Mode::tree && !following()) {
    accesses_.touch_everything();
    end_block(event.thread, Push::yes);
  }
  return ended(Ending::exited);
}

Reply Search::on_yield(const Event& event) {
  if (mode_ == Mode::before || (event.flags & kTrusted) != 0) return {};
  if ((event.flags & kTry) != 0 && note_polled(event.object)) return restart();
  note_poll(event.thread);
  if ((event.flags & kTry) != 0) touch(event.object);
  // A try operation has seen the state of a lock: it matters who ran before it.
  end_block(event.thread, (event.flags & kTry) != 0 ? Push::yes : quiet_end(event.thread));
  Entry* entry = roster_is_live() ? roster_.find(event.thread) : nullptr;
  if (entry != nullptr) roster_.move_to(static_cast<std::uint32_t>(entry - roster_.begin()), roster_.size() - 1);
  return {Verdict::switch_thread, kNoThread};
}

// A thread that polls may do so `free_polls` times; then those that could not run meanwhile go before it.
void Search::note_poll(std::uint32_t id) {
  Thread& thread = threads_[id];
  ++polls_;
  oracle_.yielded(thread);
  if (++thread.polls <= options_.free_polls) return;
  thread.held_back = thread.window != 0 ? thread.window : 1;
  thread.window = step_ + 1;
  thread.polls = 0;
}

// A loop that takes and releases the same locks at the same places again and again, with nobody else running, polls
// too.
void Search::note_repetition(Thread& thread, std::uint32_t id) {
  for (std::uint64_t known : thread.signatures) {
    if (known != thread.signature) continue;
    if (++thread.repeats < kRepetitions) return;
    thread.repeats = 0;
    thread.polls = options_.free_polls;
    note_poll(id);
    return;
  }
  thread.repeats = 0;
  thread.signatures[thread.runs % kSignatures] = thread.signature;
}

void Search::end_block(std::uint32_t id, Push push, ObjectKind kind, std::uint64_t object) {
  Thread& thread = threads_[id];
  if (push == Push::yes) note_repetition(thread, id);
  if (!roster_is_live()) return;
  const bool in_tree = mode_ == Mode::tree;
  const std::uint32_t set = in_tree && pruning_ ? accesses_.seal() : kNoSet;
  if (in_tree) {
    close_node(push, set);
    enable_delayed(push, set);
    mark_retries(push);
  }
  if (object != 0 || kind == ObjectKind::join) roster_.unblock(kind, object);
}

void Search::close_node(Push push, std::uint32_t set) {
  Node& node = tree_[block_node_];
  const bool has_waiters = block_node_ + 1 < tree_.depth();
  if (push == Push::no) {
    node.exhausted = true;
    node.mass = 0;
    return;
  }
  node.set = set;
  if (has_waiters) return;  // their share was given out when the first of them was chosen
  mass_ = node.mass / tree_.candidates(node);
  node.mass -= mass_;
}

void Search::mark_retries(Push push) {
  const std::uint64_t touched = tree_[block_node_].touched;
  const std::uint32_t filter = static_cast<std::uint32_t>(touched | touched >> 32);
  for (Entry& entry : roster_) {
    if (push == Push::yes) entry.flags = static_cast<std::uint8_t>(entry.flags & ~kWakesInVain);
    if (entry.standing == Standing::blocked && !entry.is(kReally) && (entry.filter & filter) != 0)
      entry.flags |= kRetry;
  }
}

void Search::enable_delayed(Push push, std::uint32_t set) {
  for (std::uint32_t i = 0, left = roster_.size(); left != 0; --left) {
    const Entry& entry = roster_[i];
    const bool comes_back =
        entry.is(kDelayed) &&
        (pruning_ ? entry.set != kNoSet && accesses_.conflict(entry.set, set) : push == Push::yes);
    if (!comes_back) {
      ++i;
    } else if (entry.standing == Standing::enabled) {
      roster_.enable(i);
    } else {  // a timed wait that has expired first in another branch may do so again
      roster_[i].flags = static_cast<std::uint8_t>(roster_[i].flags & ~kDelayed);
      ++i;
    }
  }
}

}  // namespace xbdbg::explore
