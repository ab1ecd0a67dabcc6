// tracer/agent/interpose.h — what the files that define interposed functions share.
//
// The shape of each: use the real function unless the call is ours to model; enter the agent; perform the operation
// with real functions that cannot block, and the scheduler for what can; number the event; offer a switch.
#pragma once

#include <errno.h>
#include <time.h>

#include "tracer/agent/runtime.h"

#define XB_EXPORT extern "C" __attribute__((visibility("default")))

namespace xbdbg::agent {

// A deadline as the pthread_*timed* and *clock* functions get it. `error`: what they return for a bad one, when they
// would have to wait.
struct Deadline {
  std::uint64_t at = kNever;
  int error = 0;
};

inline Deadline deadline_on(clockid_t clock, const timespec* abstime) {
  if (!abstime) return {};
  if (!valid_ns(*abstime)) return {kNever, EINVAL};
  return {rt.clock.from_absolute(clock, *abstime), 0};
}

inline bool is_wait_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

// A lock of any kind: `attempt` is the real try-function (EBUSY: held), `self_deadlock` says whether the thread
// would wait for itself in a way the kind of lock reports.
struct LockRequest {
  Operation operation;
  std::uint64_t object;
  Deadline deadline{};
  bool timed = false;
  ExternalWait::Kind external = ExternalWait::Kind::none;
};

template <class Attempt, class WaitsForItself>
int acquire_now(const LockRequest& lock, const Caller& caller, Attempt attempt, WaitsForItself self_deadlock) {
  int r = attempt();
  while (r == EBUSY) {
    if (self_deadlock()) {
      r = EDEADLK;
    } else if (lock.timed && lock.deadline.error) {
      r = lock.deadline.error;
    } else {
      WaitSpec wait{.operation = lock.operation,
                    .object = lock.object,
                    .key = lock.object,
                    .deadline = lock.deadline.at,
                    .may_expire_early = lock.timed,
                    .external = {lock.external, nullptr, 0, 0}};
      Wake wake = rt.scheduler.block(wait, caller);
      r = attempt();
      if (r == EBUSY && wake == Wake::timeout) r = ETIMEDOUT;
    }
  }
  if (r == 0 || r == EOWNERDEAD) hold(lock.object, lock.operation, caller);
  event(lock.operation, lock.object, r, caller);
  return r;
}

template <class Attempt, class WaitsForItself>
int acquire(const LockRequest& lock, const Caller& caller, Attempt attempt, WaitsForItself self_deadlock) {
  rt.scheduler.point(Point::operation);
  return acquire_now(lock, caller, attempt, self_deadlock);
}

// The lock was released: its waiters look again, and an atomic block ends.
inline void released(Operation operation, std::uint64_t object, const Caller& caller) {
  unhold(object);
  rt.scheduler.grant_all(object);
  event(operation, object, 0, caller);
  rt.scheduler.point(Point::block_end);
}

// Operations that <threads.h> offers under other names (api_mutex.cc, api_cond.cc); called inside an AgentScope.
int mutex_lock(pthread_mutex_t*, Operation, const Caller&);
int mutex_lock_until(pthread_mutex_t*, clockid_t, const timespec* abstime, const Caller&);
int mutex_trylock(pthread_mutex_t*, const Caller&);
int mutex_unlock(pthread_mutex_t*, const Caller&);
int cond_wait(pthread_cond_t*, pthread_mutex_t*, const Caller&);
int cond_wait_until(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec* abstime, const Caller&);
int cond_wake(pthread_cond_t*, Operation, const Caller&);

}  // namespace xbdbg::agent
