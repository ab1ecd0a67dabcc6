// tracer/agent/scheduler.h — which thread runs, who waits for what, and when the process may wait for real.
//
// Threads change only inside these calls, so between them the program runs exactly as if it were alone. A thread is
// ready, blocked or ended. A blocked thread is queued under a key (the address of the object it waits for) and leaves
// the queue when somebody grants it what it waits for, when its deadline comes, or when it gives up.
//
// Invariants: `current` is in the ready list while program code runs. No function here touches the program's memory.
#pragma once

#include "tracer/agent/clock.h"
#include "tracer/agent/policy.h"
#include "tracer/agent/preempt.h"
#include "tracer/agent/thread.h"

namespace xbdbg::agent {

enum class Point : std::uint8_t {
  operation,  // before an operation: a switch is possible, asked of policies that want every operation
  block_end,  // an atomic block ended (a release, a creation, ...): a switch is always possible
};

enum class OnSignal : std::uint8_t {
  wait_on,  // handlers run, then the wait goes on (mutexes, condition variables, ...)
  give_up,  // handlers run, then the wait ends with Wake::interrupted (system calls, semaphores)
};

struct WaitSpec {
  Operation operation;
  std::uint64_t object;  // what reports show
  std::uint64_t key;     // under which it is queued
  std::uint64_t deadline = kNever;
  OnSignal on_signal = OnSignal::wait_on;
  bool cancellation_point = false;
  bool may_expire_early = false;  // ask the policy whether the timed wait expires at once
  ExternalWait external{};
};

inline constexpr std::uint64_t kSliceNs = 10'000'000;  // virtual

class Scheduler {
 public:
  void init(Arena*, ThreadTable*, Clock*, Policy*);

  Thread* current() const { return current_; }
  void set_main(Thread*);
  void add_ready(Thread*);
  std::uint32_t ready_count() const { return ready_count_; }
  bool others_may_run() const;  // now or later, without anything from outside

  // The places where threads may change; most often nothing does, and that must cost next to nothing.
  [[gnu::always_inline]] void point(Point kind) {
    bool undisturbed = !spinners_may_exist && clock_->now() < next_moment_;
    if (undisturbed && (ready_count_ < 2 || (kind == Point::operation && !asked_at_operations()))) return;
    if (undisturbed && goes_on_unasked())
      count_going_on();
    else
      point_slowly(kind);
  }
  void use_priorities() { priorities_used_ = true; }  // some thread got a real-time priority
  void yield();
  void polled() { yield(); }  // a try-operation failed: the thread may be polling for what another must do first
  // Blocks the current thread until it is woken. Signal handlers of the thread run inside.
  Wake block(const WaitSpec&, const Caller&);
  // The current thread has ended: another one runs, this call does not return.
  [[noreturn]] void end_current();

  // Waking. `grant_all` is for objects whose waiters look again; `grant_some` wakes up to `count`, by choice.
  void grant(Thread*);
  std::uint32_t grant_all(std::uint64_t key) { return bucket(key) ? grant_bucket(key) : 0; }
  std::uint32_t grant_some(std::uint64_t key, std::uint32_t count, std::uint32_t bitset = ~0u);
  std::uint32_t requeue(std::uint64_t from, std::uint64_t to, std::uint32_t count);
  void interrupt(Thread*);  // make a blocked thread look at its signals
  std::uint32_t waiters(std::uint64_t key) const;
  template <class F>
  bool any_waiter(std::uint64_t key, F f) const {
    for (Thread* t = bucket(key); t; t = t->wait_next)
      if (t->wait_key == key && f(*t)) return true;
    return false;
  }
  void forget_left_wait(std::uint64_t sp);  // the current thread calls us, with this stack, while it is queued

  void expire_deadlines();
  void moments_changed();  // a deadline, or when the next timer expires
  bool moment_awaited() const { return next_moment_ != kNever; }
  void skip_to_deadline();  // nothing else is going to happen before it

 private:
  Thread* const& bucket(std::uint64_t key) const { return buckets_[hash(key)]; }
  static std::uint32_t hash(std::uint64_t key) { return static_cast<std::uint32_t>((key >> 3) * 0x9e3779b1u) >> 22; }
  void enqueue(Thread*, std::uint64_t key);
  void dequeue(Thread*);
  void remove_ready(Thread*);
  void set_deadline(Thread*, std::uint64_t);
  bool expires_early(const WaitSpec&);
  std::uint32_t choose(ChoiceKind, Thread* const* candidates, std::uint32_t count, Thread* current);
  Thread* pick(Thread* running);
  Thread* pick_or_wait();
  void switch_to(Thread*);
  void wait_for_world();
  Wake wait_in_queue(const WaitSpec&, const Caller&);
  bool keeps_polling();
  void point_slowly(Point);
  std::uint32_t grant_bucket(std::uint64_t key);
  bool asked_at_operations() const { return policy_->every_operation() || slice_over(); }
  // Neither the policy nor anybody who keeps the choices needs to see the question.
  bool goes_on_unasked() const {
    return policy_->goes_on() && !slice_over() && !priorities_used_ && arena_->config.want_choices == 0;
  }
  void count_going_on() {
    policy_->going_on();
    std::atomic<std::uint64_t>& choices = arena_->status.choices;
    choices.store(choices.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  bool slice_over() const { return clock_->now() - slice_start_ > kSliceNs; }

  Arena* arena_;
  ThreadTable* threads_;
  Clock* clock_;
  Policy* policy_;
  Thread* current_;
  std::uint32_t ready_count_, timed_count_, queued_count_;
  std::uint64_t next_deadline_;  // of threads
  std::uint64_t next_look_;    // when threads that wait for the world look at it although others run; kNever: nobody
  std::uint64_t next_moment_;  // the earliest of these, and of the timers
  std::uint64_t slice_start_;
  bool priorities_used_;
  std::uint64_t events_at_poll_;
  std::uint32_t polls_;
  Thread* ready_[kMaxThreads];  // in the order in which they became ready
  Thread* timed_[kMaxThreads];  // those with a deadline
  mutable Thread* buckets_[1024];
};

}  // namespace xbdbg::agent
