#include "tracer/agent/scheduler.h"

#include <string.h>

#include "tracer/agent/runtime.h"
#include "tracer/agent/stream.h"

namespace xbdbg::agent {

void Scheduler::init(Arena* arena, ThreadTable* threads, Clock* clock, Policy* policy) {
  arena_ = arena;
  threads_ = threads;
  clock_ = clock;
  policy_ = policy;
  next_deadline_ = next_look_ = next_moment_ = kNever;
}

void Scheduler::set_main(Thread* t) {
  current_ = t;
  add_ready(t);
}

void Scheduler::add_ready(Thread* t) {
  t->view->state = ThreadState::ready;
  ready_[ready_count_++] = t;
  if (ready_count_ == 2) slice_start_ = clock_->now();  // from now on somebody else waits for the processor
}

static void remove_from(Thread** list, std::uint32_t& count, Thread* t) {
  for (std::uint32_t i = 0; i < count; i++)
    if (list[i] == t) {
      for (count--; i < count; i++) list[i] = list[i + 1];
      return;
    }
}

void Scheduler::remove_ready(Thread* t) { remove_from(ready_, ready_count_, t); }

// Recording and replaying, nothing blocks for real but wait_for_world: a handler that ran inside a call of the
// kernel's would have no place in the journal.
bool Scheduler::others_may_run() const {
  return rt.journal.active() || ready_count_ > 1 || next_deadline_ != kNever || rt.timers.next() != kNever ||
         threads_->find_live(
             [&](Thread& t) { return &t != current_ && t.blocked() && t.external.kind != ExternalWait::Kind::none; });
}

// ---------------------------------------------------------------------------------------------------------------
// Choosing.

std::uint32_t Scheduler::choose(ChoiceKind kind, Thread* const* candidates, std::uint32_t count, Thread* running) {
  static std::uint32_t indices[kMaxThreads];
  Question q{kind, count, indices, count, slice_over()};
  for (std::uint32_t i = 0; i < count; i++) {
    indices[i] = candidates[i]->index;
    if (candidates[i] == running) q.current = i;
  }
  std::int64_t answer = policy_->choose(q);
  if (answer < 0) report_schedule_mismatch(q);
  write_choice(q, static_cast<std::uint32_t>(answer));
  return static_cast<std::uint32_t>(answer);
}

// Among the ready threads, those of the highest real-time priority are the candidates, as on one processor. When the
// running thread has used up its time slice all are: on another processor they would have run meanwhile.
Thread* Scheduler::pick(Thread* running) {
  if (ready_count_ == 1) return ready_[0];
  bool all = running != nullptr && slice_over();
  static Thread* candidates[kMaxThreads];
  std::uint8_t top = 0;
  for (std::uint32_t i = 0; i < ready_count_; i++)
    if (ready_[i]->priority > top) top = ready_[i]->priority;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < ready_count_; i++)
    if (all || ready_[i]->priority == top) candidates[count++] = ready_[i];
  if (count == 1) return candidates[0];
  return candidates[choose(ChoiceKind::thread, candidates, count, running)];
}

bool Scheduler::expires_early(const WaitSpec& wait) {
  if (!wait.may_expire_early || ready_count_ < 2) return false;
  static const std::uint32_t no_or_yes[2] = {0, 1};
  Question q{ChoiceKind::timeout, 2, no_or_yes, 0, false};
  std::int64_t answer = policy_->choose(q);
  if (answer < 0) report_schedule_mismatch(q);
  write_choice(q, static_cast<std::uint32_t>(answer));
  return answer == 1;
}

// ---------------------------------------------------------------------------------------------------------------
// Switching.

void Scheduler::switch_to(Thread* next) {
  if (next != current_ || slice_over()) slice_start_ = clock_->now();
  if (next == current_) return;
  Thread* previous = current_;
  current_ = next;
  if (__builtin_expect(rt.journal.active(), 0)) rt.journal.thread(next->index);
  if (rt.cpu_time.counting()) rt.cpu_time.switched(*previous);
  arena_->status.current_slot.store(static_cast<std::uint32_t>(next->view - arena_->threads),
                                    std::memory_order_relaxed);
  xb_switch(&previous->context, &next->context);
  rt.signals.after_switch();
}

void Scheduler::point_slowly(Point kind) {
  wake_spinners();
  if (clock_->now() >= next_moment_) expire_deadlines();
  if (ready_count_ < 2 || (kind == Point::operation && !asked_at_operations())) return;
  switch_to(pick(current_));
}

// Has the thread done nothing but yield and fail to take things, many times in a row?
bool Scheduler::keeps_polling() {
  constexpr std::uint32_t kPatience = 100;
  std::uint64_t events = arena_->status.events.load(std::memory_order_relaxed);
  polls_ = events - events_at_poll_ <= 1 ? polls_ + 1 : 0;
  events_at_poll_ = events;
  return polls_ > kPatience;
}

void Scheduler::skip_to_deadline() {
  std::uint64_t next = next_deadline_ < rt.timers.next() ? next_deadline_ : rt.timers.next();
  if (next != kNever) clock_->advance_to(next);
  expire_deadlines();
}

// A yield always lets another ready thread go first. With no other, a thread that keeps polling waits for a moment to
// come: time jumps to the next deadline.
void Scheduler::yield() {
  expire_deadlines();
  wake_spinners();
  if (keeps_polling() && ready_count_ < 2 && rt.children == 0) skip_to_deadline();
  if (ready_count_ < 2) return;
  remove_ready(current_);
  Thread* next = pick(nullptr);
  ready_[ready_count_++] = current_;
  switch_to(next);
}

Thread* Scheduler::pick_or_wait() {
  wake_spinners();
  while (ready_count_ == 0) {
    wait_for_world();
    wake_spinners();
  }
  if (clock_->now() >= next_moment_) expire_deadlines();
  return pick(nullptr);
}

// A handler that interrupted a wait of this thread may itself wait. The outer wait is given up then: it ends as if
// granted, and looks again at what it waits for.
Wake Scheduler::block(const WaitSpec& wait, const Caller& caller) {
  Thread& t = *current_;
  bool nested = t.queued;
  dequeue(&t);
  Wake wake = Wake::timeout;
  if (wait.deadline <= clock_->now() || expires_early(wait)) {
    clock_->advance_to(wait.deadline);
    yield();  // it may be polling
  } else {
    t.wake = Wake::none;
    t.restart = true;
    t.external = wait.external;
    t.wait_frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    enqueue(&t, wait.key);
    set_deadline(&t, wait.deadline);
    if (wait.external.kind != ExternalWait::Kind::none && next_look_ == kNever) {
      next_look_ = clock_->now() + kSliceNs;
      moments_changed();
    }
    wake = wait_in_queue(wait, caller);
  }
  if (nested) t.wake = Wake::granted;
  return wake;
}

Wake Scheduler::wait_in_queue(const WaitSpec& wait, const Caller& caller) {
  Thread& t = *current_;
  ThreadView& v = *t.view;
  for (;;) {
    if (wait.cancellation_point && t.cancel_pending && !t.cancel_disabled) {
      dequeue(&t);
      return Wake::cancelled;
    }
    if (rt.signals.deliver_to_current() && t.wake == Wake::none && wait.on_signal == OnSignal::give_up) {
      dequeue(&t);
      return Wake::interrupted;
    }
    if (t.wake != Wake::none) return t.wake;
    remove_ready(&t);
    v.state = ThreadState::blocked;
    v.waiting_in = wait.operation;
    v.waiting_for = wait.object;
    v.waiting_pc = caller.pc;
    v.waiting_sp = caller.sp;
    v.waiting_bp = caller.bp;
    switch_to(pick_or_wait());
  }
}

void Scheduler::end_current() {
  Thread* t = current_;
  dequeue(t);  // cancelled in a wait, or ended by a handler that interrupted it
  remove_ready(t);
  t->view->state = ThreadState::ended;
  if (t->view->detached) threads_->release(t);
  switch_to(pick_or_wait());
  __builtin_unreachable();
}

// ---------------------------------------------------------------------------------------------------------------
// Queues.

void Scheduler::enqueue(Thread* t, std::uint64_t key) {
  t->wait_key = key;
  t->wait_next = nullptr;
  Thread** end = &buckets_[hash(key)];
  Thread* previous = nullptr;
  while (*end) {
    previous = *end;
    end = &(*end)->wait_next;
  }
  *end = t;
  t->wait_prev = previous;
  t->queued = true;
  queued_count_++;
}

void Scheduler::dequeue(Thread* t) {
  if (!t->queued) return;
  (t->wait_prev ? t->wait_prev->wait_next : buckets_[hash(t->wait_key)]) = t->wait_next;
  if (t->wait_next) t->wait_next->wait_prev = t->wait_prev;
  t->queued = false;
  queued_count_--;
  t->external.kind = ExternalWait::Kind::none;
  set_deadline(t, kNever);
}

// A thread that calls us from a frame above the one it waited in has left that wait by longjmp or by unwinding; one
// below it runs a handler that interrupted the wait. On an alternate stack there is no telling: it is a handler.
void Scheduler::forget_left_wait(std::uint64_t sp) {
  Thread& t = *current_;
  auto alternate = reinterpret_cast<std::uint64_t>(t.alt_stack.ss_sp);
  bool on_alternate = sp >= alternate && sp < alternate + t.alt_stack.ss_size;
  if (!on_alternate && sp >= t.wait_frame) dequeue(&t);
}

void Scheduler::grant(Thread* t) {
  dequeue(t);
  t->wake = Wake::granted;
  if (t->blocked()) add_ready(t);
}

void Scheduler::interrupt(Thread* t) {
  if (t->blocked()) add_ready(t);
}

std::uint32_t Scheduler::waiters(std::uint64_t key) const {
  std::uint32_t n = 0;
  for (Thread* t = bucket(key); t; t = t->wait_next) n += t->wait_key == key;
  return n;
}

std::uint32_t Scheduler::grant_bucket(std::uint64_t key) {
  std::uint32_t n = 0;
  for (Thread *t = bucket(key), *next = nullptr; t; t = next) {
    next = t->wait_next;
    if (t->wait_key != key) continue;
    grant(t);
    n++;
  }
  return n;
}

std::uint32_t Scheduler::grant_some(std::uint64_t key, std::uint32_t count, std::uint32_t bitset) {
  static Thread* candidates[kMaxThreads];
  std::uint32_t granted = 0;
  while (granted < count && queued_count_ > 0) {
    std::uint32_t n = 0;
    for (Thread* t = bucket(key); t; t = t->wait_next)
      if (t->wait_key == key && (bitset == ~0u || (t->futex_bitset & bitset) != 0)) candidates[n++] = t;
    if (n == 0) break;
    // Which ones wake is a choice only when some stay behind.
    bool all = n <= count - granted;
    grant(candidates[all || n == 1 ? 0 : choose(ChoiceKind::waiter, candidates, n, nullptr)]);
    granted++;
  }
  return granted;
}

std::uint32_t Scheduler::requeue(std::uint64_t from, std::uint64_t to, std::uint32_t count) {
  std::uint32_t moved = 0;
  for (Thread *t = bucket(from), *next = nullptr; t && moved < count; t = next) {
    next = t->wait_next;
    if (t->wait_key != from) continue;
    std::uint64_t deadline = t->deadline;
    ExternalWait external = t->external;
    dequeue(t);
    enqueue(t, to);
    set_deadline(t, deadline);
    t->external = external;
    t->view->waiting_for = to;
    moved++;
  }
  return moved;
}

// ---------------------------------------------------------------------------------------------------------------
// Deadlines.

void Scheduler::set_deadline(Thread* t, std::uint64_t deadline) {
  if (t->deadline == deadline) return;
  if (t->deadline != kNever) remove_from(timed_, timed_count_, t);
  t->deadline = t->view->deadline_ns = deadline;
  if (deadline != kNever) timed_[timed_count_++] = t;
  next_deadline_ = kNever;
  for (std::uint32_t i = 0; i < timed_count_; i++)
    if (timed_[i]->deadline < next_deadline_) next_deadline_ = timed_[i]->deadline;
  moments_changed();
}

void Scheduler::moments_changed() {
  next_moment_ = next_deadline_ < rt.timers.next() ? next_deadline_ : rt.timers.next();
  if (next_look_ < next_moment_) next_moment_ = next_look_;
}

void Scheduler::expire_deadlines() {
  rt.timers.expire(clock_->now());
  if (clock_->now() >= next_look_) {
    next_look_ = kNever;
    wake_external();
    moments_changed();
  }
  while (next_deadline_ <= clock_->now()) {
    Thread* due = nullptr;
    for (std::uint32_t i = 0; i < timed_count_; i++)
      if (!due || timed_[i]->deadline < due->deadline) due = timed_[i];
    dequeue(due);
    due->wake = Wake::timeout;
    if (due->blocked()) add_ready(due);
  }
}

}  // namespace xbdbg::agent
