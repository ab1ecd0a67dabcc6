// tracer/agent/time_calls.cc — clocks and sleeps in virtual time.

#include <errno.h>
#include <sys/time.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

// A program that polls a clock makes time pass.
static constexpr std::uint64_t kClockReadNs = 1000;

static void tick() {
  rt.clock.advance(kClockReadNs);
  rt.clock.catch_up();
}

// A thread's CPU clock: CLOCK_THREAD_CPUTIME_ID, or what pthread_getcpuclockid makes of a tid, which may be one that
// the kernel does not know.
static bool is_thread_cpu_clock(clockid_t clock, Thread** thread) {
  constexpr int kPerThread = 4;
  if (clock == CLOCK_THREAD_CPUTIME_ID) {
    *thread = &self();
    return true;
  }
  if (clock >= 0 || (clock & kPerThread) == 0) return false;
  *thread = rt.threads.by_tid(~(clock >> 3));
  return *thread || ~(clock >> 3) >= kFirstTid;
}

long call_clock_gettime(const Call& c) {
  auto clock = static_cast<clockid_t>(c.args[0]);
  Thread* thread = nullptr;
  if (is_thread_cpu_clock(clock, &thread)) {
    if (!thread) return -EINVAL;
    *reinterpret_cast<timespec*>(c.args[1]) = to_timespec(rt.cpu_time.of(*thread));
    return 0;
  }
  if (!rt.clock.is_virtual(clock)) return pass(c);
  tick();
  *reinterpret_cast<timespec*>(c.args[1]) = rt.clock.read(clock);
  return 0;
}

long call_clock_getres(const Call& c) {
  Thread* thread = nullptr;
  if (!is_thread_cpu_clock(static_cast<clockid_t>(c.args[0]), &thread)) return pass(c);
  return thread ? world(SYS_clock_getres, CLOCK_PROCESS_CPUTIME_ID, c.args[1]) : -EINVAL;
}

// The machine's clock stays as it is: the program sets its own.
long call_clock_settime(const Call& c) {
  if (!rt.clock.is_virtual(static_cast<clockid_t>(c.args[0])) || world(SYS_geteuid) != 0) return pass(c);
  bool ok = rt.clock.set(static_cast<clockid_t>(c.args[0]), *reinterpret_cast<const timespec*>(c.args[1]));
  return ok ? 0 : -EINVAL;
}

long call_gettimeofday(const Call& c) {
  tick();
  timespec now = rt.clock.read(CLOCK_REALTIME);
  if (c.args[0]) *reinterpret_cast<timeval*>(c.args[0]) = {now.tv_sec, now.tv_nsec / 1000};
  return c.args[1] ? world(SYS_gettimeofday, 0, c.args[1]) : 0;
}

long call_time(const Call& c) {
  tick();
  timespec now = rt.clock.read(CLOCK_REALTIME);
  if (c.args[0]) *reinterpret_cast<time_t*>(c.args[0]) = now.tv_sec;
  return now.tv_sec;
}

static long sleep_until(std::uint64_t deadline, timespec* remaining, const Caller& caller) {
  if (deadline <= rt.clock.now()) {
    rt.scheduler.yield();
    return 0;
  }
  WaitSpec wait{.operation = Operation::sleep,
                .object = 0,
                .key = self().own_key(),
                .deadline = deadline,
                .on_signal = OnSignal::give_up};
  Wake wake = rt.scheduler.block(wait, caller);
  bool interrupted = wake == Wake::interrupted;
  if (interrupted && remaining) *remaining = to_timespec(deadline > rt.clock.now() ? deadline - rt.clock.now() : 0);
  event(Operation::sleep, 0, interrupted ? EINTR : 0, caller);
  return interrupted ? -EINTR : 0;
}

long call_nanosleep(const Call& c) {
  auto* interval = reinterpret_cast<const timespec*>(c.args[0]);
  if (!valid_ns(*interval) || interval->tv_sec < 0) return -EINVAL;
  return sleep_until(rt.clock.from_relative(*interval), reinterpret_cast<timespec*>(c.args[1]), c.caller);
}

// In the kernel it would never end: while its one thread sleeps, no CPU time passes. It is a sleep like any other.
static long sleep_on_cpu_clock(const Call& c) {
  timespec now{};
  Call read = c;
  read.args[1] = reinterpret_cast<long>(&now);
  const auto* time = reinterpret_cast<const timespec*>(c.args[2]);
  Thread* thread = nullptr;
  bool others = is_thread_cpu_clock(static_cast<clockid_t>(c.args[0]), &thread);
  if (c.args[0] == CLOCK_THREAD_CPUTIME_ID || (others && !thread)) return -EINVAL;
  read.number = SYS_clock_gettime;
  long r = call_clock_gettime(read);
  if (r != 0) return pass(c);
  if (!valid_ns(*time) || time->tv_sec < 0) return -EINVAL;
  std::uint64_t interval = to_ns(*time);
  if (c.args[1] & TIMER_ABSTIME) interval = interval > to_ns(now) ? interval - to_ns(now) : 0;
  return sleep_until(rt.clock.from_relative(to_timespec(interval)), nullptr, c.caller);
}

long call_clock_nanosleep(const Call& c) {
  auto clock = static_cast<clockid_t>(c.args[0]);
  auto* time = reinterpret_cast<const timespec*>(c.args[2]);
  if (!rt.clock.is_virtual(clock)) return sleep_on_cpu_clock(c);
  if (!valid_ns(*time) || time->tv_sec < 0) return -EINVAL;
  if (c.args[1] & TIMER_ABSTIME) return sleep_until(rt.clock.from_absolute(clock, *time), nullptr, c.caller);
  return sleep_until(rt.clock.from_relative(*time), reinterpret_cast<timespec*>(c.args[3]), c.caller);
}

long call_sched_yield(const Call& c) {
  event(Operation::yield, 0, 0, c.caller);
  rt.clock.advance(kClockReadNs);
  rt.scheduler.yield();
  return 0;
}

// ---------------------------------------------------------------------------------------------------------------
// Timers.

long call_alarm(const Call& c) { return rt.timers.alarm(static_cast<unsigned>(c.args[0])); }

long call_setitimer(const Call& c) {
  if (c.args[0] != ITIMER_REAL) return pass(c);
  return rt.timers.setitimer(reinterpret_cast<const itimerval*>(c.args[1]), reinterpret_cast<itimerval*>(c.args[2]));
}

long call_getitimer(const Call& c) {
  if (c.args[0] != ITIMER_REAL) return pass(c);
  return rt.timers.getitimer(reinterpret_cast<itimerval*>(c.args[1]));
}

// Timers on CPU clocks are the kernel's, on that of its one thread.
static long create_cpu_timer(const Call& c) {
  const auto* event = reinterpret_cast<const sigevent*>(c.args[1]);
  Call mine = c;
  Thread* thread = nullptr;
  if (is_thread_cpu_clock(static_cast<clockid_t>(c.args[0]), &thread)) {
    if (!thread) return -EINVAL;
    mine.args[0] = CLOCK_THREAD_CPUTIME_ID;
  }
  if (!event || event->sigev_notify != SIGEV_THREAD_ID) return pass(mine);
  sigevent to_us = *event;  // the kernel does not know the thread to be told: we pass it on
  to_us.sigev_signo = SIGSYS;
  to_us._sigev_un._tid = rt.pid;
  mine.args[1] = reinterpret_cast<long>(&to_us);
  long r = pass(mine);
  if (r == 0) rt.timers.forward(*reinterpret_cast<const int*>(c.args[2]), *event);
  return r;
}

long call_timer_create(const Call& c) {
  if (!rt.clock.is_virtual(static_cast<clockid_t>(c.args[0]))) return create_cpu_timer(c);
  return rt.timers.create(static_cast<clockid_t>(c.args[0]), reinterpret_cast<const sigevent*>(c.args[1]),
                          reinterpret_cast<int*>(c.args[2]));
}

long call_timer_settime(const Call& c) {
  if (!rt.timers.ours(static_cast<int>(c.args[0]))) return pass(c);
  return rt.timers.settime(static_cast<int>(c.args[0]), static_cast<int>(c.args[1]),
                           reinterpret_cast<const itimerspec*>(c.args[2]), reinterpret_cast<itimerspec*>(c.args[3]));
}

long call_timer_gettime(const Call& c) {
  if (!rt.timers.ours(static_cast<int>(c.args[0]))) return pass(c);
  return rt.timers.gettime(static_cast<int>(c.args[0]), reinterpret_cast<itimerspec*>(c.args[1]));
}

long call_timer_getoverrun(const Call& c) {
  return rt.timers.ours(static_cast<int>(c.args[0])) ? rt.timers.getoverrun(static_cast<int>(c.args[0])) : pass(c);
}

long call_timer_delete(const Call& c) {
  return rt.timers.ours(static_cast<int>(c.args[0])) ? rt.timers.remove(static_cast<int>(c.args[0])) : pass(c);
}

}  // namespace xbdbg::agent
