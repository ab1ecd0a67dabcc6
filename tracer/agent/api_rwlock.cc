// tracer/agent/api_rwlock.cc — pthread_rwlock_*.

#include "tracer/agent/interpose.h"

namespace xbdbg::agent {

namespace {

bool shared(const pthread_rwlock_t* l) { return l->__data.__shared != 0; }

bool writes_already(const pthread_rwlock_t* l) { return l->__data.__cur_writer == self().tid; }

// Waiting is ours, so the lock's memory never says that a writer waits: a lock that prefers writers asks here.
bool yields_to_writer(const pthread_rwlock_t* l) {
  return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP &&
         rt.scheduler.any_waiter(address(l), [](const Thread& t) {
           return t.view->waiting_in == Operation::rwlock_wrlock ||
                  t.view->waiting_in == Operation::rwlock_timedwrlock;
         });
}

int try_read(pthread_rwlock_t* l) { return yields_to_writer(l) ? EBUSY : rt.real.pthread_rwlock_tryrdlock(l); }

int read_lock(pthread_rwlock_t* l, const LockRequest& request, const Caller& caller) {
  return acquire(
      request, caller, [&] { return try_read(l); }, [&] { return writes_already(l); });
}

int write_lock(pthread_rwlock_t* l, const LockRequest& request, const Caller& caller) {
  int r = acquire(
      request, caller, [&] { return rt.real.pthread_rwlock_trywrlock(l); }, [&] { return writes_already(l); });
  if (r == ETIMEDOUT) rt.scheduler.grant_all(address(l));  // readers that let it go first look again
  return r;
}

}  // namespace

XB_EXPORT int pthread_rwlock_init(pthread_rwlock_t* l, const pthread_rwlockattr_t* attr) {
  if (!engaged()) return rt.real.pthread_rwlock_init(l, attr);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_rwlock_init(l, attr);
  event(Operation::rwlock_init, address(l), r, caller);
  return r;
}

XB_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* l) {
  if (!engaged()) return rt.real.pthread_rwlock_destroy(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_rwlock_destroy(l);
  event(Operation::rwlock_destroy, address(l), r, caller);
  return r;
}

XB_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_rdlock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return read_lock(l, {Operation::rwlock_rdlock, address(l)}, caller);
}

XB_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_tryrdlock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  rt.scheduler.point(Point::operation);
  int r = try_read(l);
  if (r == 0) hold(address(l), Operation::rwlock_tryrdlock, caller);
  event(Operation::rwlock_tryrdlock, address(l), r, caller);
  if (r == EBUSY) rt.scheduler.polled();
  return r;
}

XB_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t clock, const timespec* abstime) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_clockrdlock(l, clock, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  if (!is_wait_clock(clock) || !valid_ns(*abstime)) return EINVAL;
  return read_lock(l, {Operation::rwlock_timedrdlock, address(l), deadline_on(clock, abstime), true}, caller);
}

XB_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* abstime) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_timedrdlock(l, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  if (!valid_ns(*abstime)) return EINVAL;
  return read_lock(l, {Operation::rwlock_timedrdlock, address(l), deadline_on(CLOCK_REALTIME, abstime), true},
                   caller);
}

XB_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_wrlock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return write_lock(l, {Operation::rwlock_wrlock, address(l)}, caller);
}

XB_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* l) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_trywrlock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  rt.scheduler.point(Point::operation);
  int r = rt.real.pthread_rwlock_trywrlock(l);
  if (r == 0) hold(address(l), Operation::rwlock_trywrlock, caller);
  event(Operation::rwlock_trywrlock, address(l), r, caller);
  if (r == EBUSY) rt.scheduler.polled();
  return r;
}

XB_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t clock, const timespec* abstime) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_clockwrlock(l, clock, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  if (!is_wait_clock(clock) || !valid_ns(*abstime)) return EINVAL;
  return write_lock(l, {Operation::rwlock_timedwrlock, address(l), deadline_on(clock, abstime), true}, caller);
}

XB_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* abstime) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_timedwrlock(l, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  if (!valid_ns(*abstime)) return EINVAL;
  return write_lock(l, {Operation::rwlock_timedwrlock, address(l), deadline_on(CLOCK_REALTIME, abstime), true},
                    caller);
}

XB_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* l) {
  if (!engaged() || shared(l)) return rt.real.pthread_rwlock_unlock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_rwlock_unlock(l);
  released(Operation::rwlock_unlock, address(l), caller);
  return r;
}

}  // namespace xbdbg::agent
