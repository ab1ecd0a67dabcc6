// tracer/agent/api_sem.cc — sem_*. Process-shared and named semaphores are glibc's, on top of the futex model.

#include "tracer/agent/interpose.h"

namespace xbdbg::agent {

namespace {

struct SemaphoreLayout {
  std::uint64_t data;
  int shared;
};

bool shared(const sem_t* s) { return reinterpret_cast<const SemaphoreLayout*>(s)->shared != 0; }

// Another process may have posted it: what it wrote is taken in before glibc looks.
bool left_to_glibc(const sem_t* s) {
  if (!engaged()) return true;
  if (!shared(s)) return false;
  AgentScope scope;
  return true;
}

// POSIX: -1 and errno.
int result(Operation operation, const sem_t* s, int error, const Caller& caller) {
  event(operation, address(s), error, caller);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int take(sem_t* s, Operation operation, const Deadline& deadline, const Caller& caller) {
  test_cancel();
  rt.scheduler.point(Point::operation);
  bool timed = operation == Operation::sem_timedwait;
  int saved = errno;
  for (;;) {
    if (rt.real.sem_trywait(s) == 0) {
      errno = saved;
      return result(operation, s, 0, caller);
    }
    errno = saved;
    if (timed && deadline.error) return result(operation, s, deadline.error, caller);
    WaitSpec wait{.operation = operation,
                  .object = address(s),
                  .key = address(s),
                  .deadline = deadline.at,
                  .on_signal = OnSignal::give_up,
                  .cancellation_point = true,
                  .may_expire_early = timed};
    Wake wake = rt.scheduler.block(wait, caller);
    if (wake == Wake::timeout) return result(operation, s, ETIMEDOUT, caller);
    if (wake == Wake::interrupted && (timed || !self().restart)) return result(operation, s, EINTR, caller);
    if (wake == Wake::cancelled) test_cancel();
  }
}

}  // namespace

XB_EXPORT int sem_init(sem_t* s, int pshared, unsigned value) {
  if (!engaged()) return rt.real.sem_init(s, pshared, value);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.sem_init(s, pshared, value);
  event(Operation::sem_init, address(s), r == 0 ? 0 : errno, caller);
  return r;
}

XB_EXPORT int sem_destroy(sem_t* s) {
  if (!engaged()) return rt.real.sem_destroy(s);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.sem_destroy(s);
  event(Operation::sem_destroy, address(s), r == 0 ? 0 : errno, caller);
  return r;
}

XB_EXPORT int sem_wait(sem_t* s) {
  if (left_to_glibc(s)) return rt.real.sem_wait(s);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return take(s, Operation::sem_wait, {}, caller);
}

XB_EXPORT int sem_trywait(sem_t* s) {
  if (left_to_glibc(s)) return rt.real.sem_trywait(s);
  Caller caller = XB_CALLER();
  AgentScope scope;
  rt.scheduler.point(Point::operation);
  int r = rt.real.sem_trywait(s);
  int error = r == 0 ? 0 : errno;
  event(Operation::sem_trywait, address(s), error, caller);
  if (error == EAGAIN) rt.scheduler.polled();
  if (error) errno = error;
  return r;
}

XB_EXPORT int sem_timedwait(sem_t* s, const timespec* abstime) {
  if (left_to_glibc(s)) return rt.real.sem_timedwait(s, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  Deadline deadline = deadline_on(CLOCK_REALTIME, abstime);
  if (deadline.error) return result(Operation::sem_timedwait, s, deadline.error, caller);
  return take(s, Operation::sem_timedwait, deadline, caller);
}

XB_EXPORT int sem_clockwait(sem_t* s, clockid_t clock, const timespec* abstime) {
  if (left_to_glibc(s)) return rt.real.sem_clockwait(s, clock, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  Deadline deadline = is_wait_clock(clock) ? deadline_on(clock, abstime) : Deadline{kNever, EINVAL};
  if (deadline.error) return result(Operation::sem_timedwait, s, deadline.error, caller);
  return take(s, Operation::sem_timedwait, deadline, caller);
}

XB_EXPORT int sem_post(sem_t* s) {
  if (left_to_glibc(s)) return rt.real.sem_post(s);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.sem_post(s);
  int saved = errno;
  rt.scheduler.grant_all(address(s));
  event(Operation::sem_post, address(s), r == 0 ? 0 : saved, caller);
  rt.scheduler.point(Point::block_end);
  errno = saved;
  return r;
}

}  // namespace xbdbg::agent
