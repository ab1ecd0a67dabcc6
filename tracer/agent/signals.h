// tracer/agent/signals.h — signals, per thread, on one kernel thread.
//
// The kernel sees one thread, whose mask is the intersection of the masks of all program threads: a signal is held
// back by the kernel only when every thread blocks it. What the kernel delivers for a handler of the program arrives
// in on_signal(); it is queued, given to a thread that does not block it, and its handler runs on that thread's own
// stack, at once when that thread is running program code, otherwise when it next runs. Signals between threads
// (pthread_kill, raise, pthread_cancel's SIGCANCEL) never go through the kernel until their thread raises them on
// itself, which gives every handler a genuine signal frame. Dispositions SIG_DFL and SIG_IGN are the kernel's, but
// for SIGSEGV and its kin (rdtsc traps, and crashes go into the journal) and SIGCHLD (it ends a wait for the world).
#pragma once

#include <signal.h>

#include <cstdint>

#include "tracer/agent/gate.h"
#include "tracer/agent/thread.h"

namespace xbdbg::agent {

inline constexpr int kSignals = 64;
inline constexpr std::uint32_t kMaxPending = 2048;

class Signals {
 public:
  void init(Thread* main);

  bool any_pending() const { return pending_count_ > 0; }

  // A place where asynchronous signals are taken in. Recording, they arrive nowhere else, and the journal says at
  // which of these places each did; replaying, they come from there. (Running, they are taken in as they arrive.)
  [[gnu::always_inline]] void take_in() {
    point_++;
    if (__builtin_expect(arrived_count_ != 0 || replaying_, 0)) take_in_arrived();
  }
  // Runs the handlers of what is pending for the current thread and not blocked. True: at least one ran.
  bool deliver_to_current();
  // A signal for one thread (or nullptr: the process). Returns 0 or -EAGAIN (queue full).
  long post(int signo, const siginfo_t&, Thread* target);
  long post_simple(int signo, int code, Thread* target);

  // System calls.
  long sigaction(int signo, const KernelSigaction* act, KernelSigaction* old);
  long sigprocmask(int how, const std::uint64_t* set, std::uint64_t* old);
  long sigpending(std::uint64_t* set);
  bool timer_pending(int signo, int timer_id) const;  // is the signal of a timer of ours yet to be delivered?
  long sigtimedwait(const std::uint64_t* set, siginfo_t* info, const timespec* timeout, const Caller&);
  long sigsuspend(const std::uint64_t* mask, const Caller&);
  long sigaltstack(const stack_t* stack, stack_t* old);

  void set_mask(Thread&, std::uint64_t mask);
  void update_kernel_mask();
  std::uint64_t kernel_mask() const { return kernel_mask_; }
  std::uint64_t wanted_kernel_mask() const;
  void after_switch();                 // the running thread changed: its alternate stack
  void before_sigreturn(ucontext_t*);  // a handler of ours returns into the current thread
  void thread_ended() { update_kernel_mask(); }
  void thread_started(Thread&, Thread& creator);
  bool handler_may_wake_somebody() const;  // some signal from outside could run a handler
  void become_native(Thread&);             // in a forked child: the kernel gets the program's own handlers back

  void on_signal(int signo, siginfo_t*, ucontext_t*);  // the kernel's entry
  void on_timer(const siginfo_t&, ucontext_t*);        // a timer that the kernel runs for a thread of ours
  bool allow_handlers;  // the agent is in a blocking system call, its data at rest: handlers may run

 private:
  struct Pending {
    Thread* target;  // nullptr: the process
    siginfo_t info;
  };

  bool blocked_by(const Thread& t, int signo) const { return (t.mask & signal_bit(signo)) != 0; }
  bool ignored(int signo) const;
  Thread* receiver(int signo, Thread* target) const;
  bool take(Thread&, std::uint64_t set, siginfo_t*);
  void run_handler(int signo, siginfo_t*, ucontext_t*);
  void install(int signo);
  void raise_on_self(int signo, const siginfo_t&);
  void arrive(const siginfo_t&);
  [[noreturn]] void leave_by_fault();
  void take_in_arrived();
  void accept(const siginfo_t&);
  void die_of_fault(int signo, const siginfo_t&, const ucontext_t&);
  static constexpr std::uint32_t kMaxArrived = 256;

  std::uint64_t lent_;  // signals for one thread that the kernel holds, since it was the only one then:
  Thread* lent_by_;     // this one
  KernelSigaction actions_[kSignals + 1];  // what the program asked for
  Pending pending_[kMaxPending];           // in order of arrival
  std::uint32_t pending_count_;
  std::uint64_t kernel_mask_;
  stack_t kernel_alt_stack_;
  int raising_;
  std::uint32_t handlers_run_;
  bool replaying_;
  std::uint64_t point_;             // number of the last place where signals were taken in
  siginfo_t arrived_[kMaxArrived];  // since then, recording
  std::uint32_t arrived_count_, accepted_count_;
};

extern "C" void xb_signal_entry(int signo, siginfo_t* info, void* context);

}  // namespace xbdbg::agent
