// tracer/agent/api_cond.cc — pthread_cond_*.
//
// The condition variable's own memory is touched by init and destroy only: who waits is the scheduler's knowledge.
// A process-shared one is glibc's, on top of the futex model.

#include "tracer/agent/interpose.h"

namespace xbdbg::agent {

namespace {

// Bits of pthread_cond_t.__data.__wrefs.
constexpr unsigned kProcessShared = 1, kMonotonic = 2;

bool shared(const pthread_cond_t* c) { return (c->__data.__wrefs & kProcessShared) != 0; }
clockid_t clock_of(const pthread_cond_t* c) {
  return (c->__data.__wrefs & kMonotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// The real function releases the mutex behind our back: its waiters must look again when it has.
void mutex_will_be_released(pthread_mutex_t* m) {
  AgentScope scope;
  rt.scheduler.grant_all(address(m));
}

int wait(pthread_cond_t* c, pthread_mutex_t* m, Operation operation, const Deadline& deadline, const Caller& caller) {
  test_cancel();
  int r = rt.real.pthread_mutex_unlock(m);
  if (r != 0) return r;
  unhold(address(m));
  rt.scheduler.grant_all(address(m));
  event(operation, address(c), 0, caller, address(m));
  WaitSpec spec{.operation = operation,
                .object = address(c),
                .key = address(c),
                .deadline = deadline.at,
                .cancellation_point = true,
                .may_expire_early = operation == Operation::cond_timedwait};
  Wake wake = rt.scheduler.block(spec, caller);
  r = mutex_lock(m, Operation::cond_wake, caller);
  if (wake == Wake::cancelled) test_cancel();  // unwinds, with the mutex locked as cleanup handlers expect
  return r == 0 && wake == Wake::timeout ? ETIMEDOUT : r;
}

}  // namespace

int cond_wait(pthread_cond_t* c, pthread_mutex_t* m, const Caller& caller) {
  return wait(c, m, Operation::cond_wait, {}, caller);
}

int cond_wait_until(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* abstime,
                    const Caller& caller) {
  Deadline deadline = deadline_on(clock, abstime);
  return deadline.error ? deadline.error : wait(c, m, Operation::cond_timedwait, deadline, caller);
}

int cond_wake(pthread_cond_t* c, Operation operation, const Caller& caller) {
  rt.scheduler.point(Point::operation);
  if (operation == Operation::cond_signal)
    rt.scheduler.grant_some(address(c), 1);
  else
    rt.scheduler.grant_all(address(c));
  event(operation, address(c), 0, caller);
  // Without a lock held, nothing else marks the end of this block.
  rt.scheduler.point(self().view->held_count == 0 ? Point::block_end : Point::operation);
  return 0;
}

XB_EXPORT int pthread_cond_init(pthread_cond_t* c, const pthread_condattr_t* attr) {
  if (!engaged()) return rt.real.pthread_cond_init(c, attr);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_cond_init(c, attr);
  event(Operation::cond_init, address(c), r, caller);
  return r;
}

XB_EXPORT int pthread_cond_destroy(pthread_cond_t* c) {
  if (!engaged() || shared(c)) return rt.real.pthread_cond_destroy(c);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_cond_destroy(c);
  event(Operation::cond_destroy, address(c), r, caller);
  return r;
}

XB_EXPORT int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  if (!engaged()) return rt.real.pthread_cond_wait(c, m);
  Caller caller = XB_CALLER();
  if (shared(c)) {
    mutex_will_be_released(m);
    return rt.real.pthread_cond_wait(c, m);
  }
  AgentScope scope;
  return cond_wait(c, m, caller);
}

XB_EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* abstime) {
  if (!engaged()) return rt.real.pthread_cond_timedwait(c, m, abstime);
  Caller caller = XB_CALLER();
  if (shared(c)) {
    mutex_will_be_released(m);
    return rt.real.pthread_cond_timedwait(c, m, abstime);
  }
  AgentScope scope;
  return cond_wait_until(c, m, clock_of(c), abstime, caller);
}

XB_EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock,
                                     const timespec* abstime) {
  if (!engaged()) return rt.real.pthread_cond_clockwait(c, m, clock, abstime);
  Caller caller = XB_CALLER();
  if (shared(c)) {
    mutex_will_be_released(m);
    return rt.real.pthread_cond_clockwait(c, m, clock, abstime);
  }
  AgentScope scope;
  return is_wait_clock(clock) ? cond_wait_until(c, m, clock, abstime, caller) : EINVAL;
}

XB_EXPORT int pthread_cond_signal(pthread_cond_t* c) {
  if (!engaged() || shared(c)) return rt.real.pthread_cond_signal(c);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return cond_wake(c, Operation::cond_signal, caller);
}

XB_EXPORT int pthread_cond_broadcast(pthread_cond_t* c) {
  if (!engaged() || shared(c)) return rt.real.pthread_cond_broadcast(c);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return cond_wake(c, Operation::cond_broadcast, caller);
}

}  // namespace xbdbg::agent
