// tracer/agent/api_c11.cc — mtx_* and cnd_* of <threads.h>: the same operations under other names and error codes.
//
// mtx_t and cnd_t are glibc's pthread types. thrd_create and thrd_join are in api_thread.cc; everything else of
// <threads.h> reaches us through its system calls.

#include <threads.h>

#include "tracer/agent/interpose.h"

namespace xbdbg::agent {

namespace {

int thrd_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ETIMEDOUT:
      return thrd_timedout;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* mutex(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }
pthread_cond_t* cond(cnd_t* c) { return reinterpret_cast<pthread_cond_t*>(c); }

}  // namespace

XB_EXPORT int mtx_lock(mtx_t* m) {
  if (!engaged()) return rt.real.mtx_lock(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(mutex_lock(mutex(m), Operation::mutex_lock, caller));
}

XB_EXPORT int mtx_trylock(mtx_t* m) {
  if (!engaged()) return rt.real.mtx_trylock(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(mutex_trylock(mutex(m), caller));
}

XB_EXPORT int mtx_timedlock(mtx_t* m, const timespec* abstime) {
  if (!engaged()) return rt.real.mtx_timedlock(m, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(mutex_lock_until(mutex(m), CLOCK_REALTIME, abstime, caller));
}

XB_EXPORT int mtx_unlock(mtx_t* m) {
  if (!engaged()) return rt.real.mtx_unlock(m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(mutex_unlock(mutex(m), caller));
}

XB_EXPORT int cnd_wait(cnd_t* c, mtx_t* m) {
  if (!engaged()) return rt.real.cnd_wait(c, m);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(cond_wait(cond(c), mutex(m), caller));
}

XB_EXPORT int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* abstime) {
  if (!engaged()) return rt.real.cnd_timedwait(c, m, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(cond_wait_until(cond(c), mutex(m), CLOCK_REALTIME, abstime, caller));
}

XB_EXPORT int cnd_signal(cnd_t* c) {
  if (!engaged()) return rt.real.cnd_signal(c);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(cond_wake(cond(c), Operation::cond_signal, caller));
}

XB_EXPORT int cnd_broadcast(cnd_t* c) {
  if (!engaged()) return rt.real.cnd_broadcast(c);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return thrd_result(cond_wake(cond(c), Operation::cond_broadcast, caller));
}

}  // namespace xbdbg::agent
