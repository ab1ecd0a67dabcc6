// tracer/agent/api_mutex.cc — pthread_mutex_*.

#include "tracer/agent/interpose.h"

namespace xbdbg::agent {

namespace {

// Bits of pthread_mutex_t.__data.__kind, as glibc lays them out.
constexpr int kTypeMask = 3, kErrorCheck = 2, kProcessShared = 128;

bool shared(const pthread_mutex_t* m) { return (m->__data.__kind & kProcessShared) != 0; }

bool relocks(const pthread_mutex_t* m) {
  return (m->__data.__kind & kTypeMask) == kErrorCheck && m->__data.__owner == self().tid;
}

// A private mutex of the default kind is touched by this kernel thread only, so what glibc does with atomic
// instructions can be done with plain ones: lock/unlock-heavy programs spend most of their time here.
bool plain(const pthread_mutex_t* m) { return m->__data.__kind == PTHREAD_MUTEX_TIMED_NP; }

int try_lock(pthread_mutex_t* m) {
  if (!plain(m)) return rt.real.pthread_mutex_trylock(m);
  if (m->__data.__lock != 0) return EBUSY;
  m->__data.__lock = 1;
  m->__data.__owner = self().tid;
  m->__data.__nusers++;
  return 0;
}

int unlock(pthread_mutex_t* m) {
  if (!plain(m) || m->__data.__lock != 1) return rt.real.pthread_mutex_unlock(m);  // > 1: glibc itself waits for it
  m->__data.__owner = 0;
  m->__data.__nusers--;
  m->__data.__lock = 0;
  return 0;
}

// The common case: a plain mutex that is free. Otherwise EBUSY, and lock() goes on from here.
[[gnu::always_inline]] inline int lock_at_once(pthread_mutex_t* m, Operation operation, const Caller& caller) {
  rt.scheduler.point(Point::operation);
  if (!plain(m) || try_lock(m) != 0) return EBUSY;
  hold(address(m), operation, caller);
  event(operation, address(m), 0, caller);
  return 0;
}

int lock(pthread_mutex_t* m, const LockRequest& request, const Caller& caller) {
  return acquire_now(
      request, caller, [&] { return try_lock(m); }, [&] { return relocks(m); });
}

}  // namespace

int mutex_lock(pthread_mutex_t* m, Operation operation, const Caller& caller) {
  if (lock_at_once(m, operation, caller) == 0) return 0;
  return lock(m, {operation, address(m)}, caller);
}

int mutex_lock_until(pthread_mutex_t* m, clockid_t clock, const timespec* abstime, const Caller& caller) {
  rt.scheduler.point(Point::operation);
  return lock(m, {Operation::mutex_timedlock, address(m), deadline_on(clock, abstime), true}, caller);
}

int mutex_trylock(pthread_mutex_t* m, const Caller& caller) {
  rt.scheduler.point(Point::operation);
  int r = try_lock(m);
  if (r == 0 || r == EOWNERDEAD) hold(address(m), Operation::mutex_trylock, caller);
  event(Operation::mutex_trylock, address(m), r, caller);
  if (r == EBUSY) rt.scheduler.polled();
  return r;
}

[[gnu::always_inline]] static inline int unlock_now(pthread_mutex_t* m, const Caller& caller) {
  int r = unlock(m);
  if (r == 0)
    released(Operation::mutex_unlock, address(m), caller);
  else
    event(Operation::mutex_unlock, address(m), r, caller);
  return r;
}

int mutex_unlock(pthread_mutex_t* m, const Caller& caller) { return unlock_now(m, caller); }

XB_EXPORT int pthread_mutex_init(pthread_mutex_t* m, const pthread_mutexattr_t* attr) {
  if (!engaged()) return rt.real.pthread_mutex_init(m, attr);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_mutex_init(m, attr);
  event(Operation::mutex_init, address(m), r, caller);
  return r;
}

XB_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) {
  if (!engaged()) return rt.real.pthread_mutex_destroy(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_mutex_destroy(m);
  event(Operation::mutex_destroy, address(m), r, caller);
  return r;
}

XB_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) {
  if (!engaged() || shared(m)) return rt.real.pthread_mutex_lock(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  if (lock_at_once(m, Operation::mutex_lock, caller) == 0) return 0;
  return lock(m, {Operation::mutex_lock, address(m)}, caller);
}

XB_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) {
  if (!engaged() || shared(m)) return rt.real.pthread_mutex_trylock(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return mutex_trylock(m, caller);
}

XB_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* abstime) {
  if (!engaged() || shared(m)) return rt.real.pthread_mutex_timedlock(m, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return mutex_lock_until(m, CLOCK_REALTIME, abstime, caller);
}

XB_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* abstime) {
  if (!engaged() || shared(m)) return rt.real.pthread_mutex_clocklock(m, clock, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return is_wait_clock(clock) ? mutex_lock_until(m, clock, abstime, caller) : EINVAL;
}

XB_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) {
  if (!engaged() || shared(m)) return rt.real.pthread_mutex_unlock(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return unlock_now(m, caller);
}

XB_EXPORT int pthread_mutex_consistent(pthread_mutex_t* m) {
  if (!engaged() || shared(m)) return rt.real.pthread_mutex_consistent(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_mutex_consistent(m);
  event(Operation::mutex_consistent, address(m), r, caller);
  return r;
}

}  // namespace xbdbg::agent
