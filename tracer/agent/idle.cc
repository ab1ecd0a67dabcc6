// tracer/agent/idle.cc — no thread is ready: wait for time, for the world, or report a deadlock.

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>

#include "tracer/agent/preempt.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

// What the blocked threads wait for outside the process, gathered for one ppoll.
struct Outside {
  static constexpr std::uint32_t kMaxFds = 4096;
  pollfd fds[kMaxFds];
  std::uint32_t fd_count;
  std::uint64_t signals;  // waited for by sigwait and its kin
  bool anything;          // something outside may wake a thread
  bool look_again;        // something that ppoll cannot see (a child, a shared futex): look every few milliseconds
  bool interruptible;     // a thread waits in a call that a signal handler can end or satisfy
};
static Outside outside;

static bool interruptible_by_handler(Operation op) {
  return op == Operation::sem_wait || op == Operation::sem_timedwait || op == Operation::futex_wait ||
         op == Operation::sleep;
}

static void gather() {
  outside.fd_count = 0;
  outside.signals = 0;
  outside.anything = outside.look_again = outside.interruptible = false;
  rt.threads.find_live([](Thread& t) {
    switch (t.external.kind) {
      case ExternalWait::Kind::none:
        if (interruptible_by_handler(t.view->waiting_in)) outside.interruptible = true;
        return false;
      case ExternalWait::Kind::fds:
        for (std::uint32_t i = 0; i < t.external.fd_count && outside.fd_count < Outside::kMaxFds - 1; i++)
          outside.fds[outside.fd_count++] = t.external.fds[i];
        break;
      case ExternalWait::Kind::signals:
        outside.signals |= t.external.signals;
        break;
      case ExternalWait::Kind::child:
      case ExternalWait::Kind::poll_again:
      case ExternalWait::Kind::shared_futex:
        outside.look_again = true;
        break;
    }
    outside.anything = true;
    return false;
  });
  if (outside.interruptible && rt.signals.handler_may_wake_somebody()) outside.anything = true;
}

// Every thread that waits for the outside looks again whether it can go on.
void wake_external() {
  rt.threads.find_live([](Thread& t) {
    if (t.blocked() && t.external.kind != ExternalWait::Kind::none) rt.scheduler.grant(&t);
    return false;
  });
}

// Waits for real, at most until `limit` (virtual; kNever: no limit).
static void wait_for_real(std::uint64_t limit) {
  int signal_fd = -1;
  if (outside.signals) {
    signal_fd =
        static_cast<int>(world(SYS_signalfd4, -1, &outside.signals, kSigsetBytes, SFD_CLOEXEC | SFD_NONBLOCK));
    if (signal_fd >= 0) outside.fds[outside.fd_count++] = {signal_fd, POLLIN, 0};
  }
  static std::uint64_t pause_ns;
  constexpr std::uint64_t kFirstPause = 50'000, kLongestPause = 5'000'000;
  std::uint64_t wait_ns = kNever;
  if (limit != kNever) wait_ns = limit > rt.clock.now() ? limit - rt.clock.now() : 0;
  bool paused = false;
  if (outside.look_again) {
    if (pause_ns < kFirstPause) pause_ns = kFirstPause;
    if (pause_ns < wait_ns) {
      wait_ns = pause_ns;
      paused = true;
    }
  }
  timespec timeout = to_timespec(wait_ns == kNever ? 0 : wait_ns);
  // Signals may come only inside ppoll: one that makes a thread ready just before would be slept through.
  std::uint64_t all = ~std::uint64_t{0} & ~signal_bit(SIGSYS), usual = rt.signals.kernel_mask();
  std::uint64_t start = rt.clock.real_time() ? 0 : observed(real_monotonic_ns);
  long r = -EINTR;
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, kSigsetBytes);
  take_in();
  if (rt.scheduler.ready_count() == 0)
    r = world(SYS_ppoll, outside.fds, outside.fd_count, wait_ns == kNever ? nullptr : &timeout, &usual, kSigsetBytes);
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &usual, 0, kSigsetBytes);
  take_in();
  if (rt.clock.real_time())
    rt.clock.catch_up();
  else if (r != 0 || paused || limit == kNever)
    rt.clock.advance(observed(real_monotonic_ns) - start);
  if (signal_fd >= 0) world(SYS_close, signal_fd);
  if (r == 0 && !paused && limit != kNever) rt.clock.advance_to(limit);
  pause_ns = paused && r == 0 ? (pause_ns * 2 < kLongestPause ? pause_ns * 2 : kLongestPause) : kFirstPause;
  if (r != 0 || paused) wake_external();
}

void Scheduler::wait_for_world() {
  std::uint64_t timer = rt.timers.next();
  std::uint64_t limit = next_deadline_ < timer ? next_deadline_ : timer;
  gather();
  bool children_run = rt.children > 0 && limit != kNever;
  bool handler_may_end_spin = limit == kNever && spinners_wait() && rt.signals.handler_may_wake_somebody();
  bool time_is_real = rt.clock.real_time() && limit != kNever;
  if (outside.anything || children_run || handler_may_end_spin || time_is_real) {
    wait_for_real(limit);
  } else if (limit != kNever) {
    clock_->advance_to(limit);
  } else {
    stop_for_xbdbg(spinners_wait() ? State::no_progress : State::deadlock);
  }
  expire_deadlines();
}

}  // namespace xbdbg::agent
