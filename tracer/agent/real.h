// tracer/agent/real.h — the functions of libc behind the ones we interpose.
#pragma once

#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <threads.h>
#include <unistd.h>

namespace xbdbg::agent {

// Every real function the agent calls: X(name).
// (Formatted, the list would nest, and differently each time.)
// clang-format off
#define XB_FOR_EACH_REAL(X) \
  X(pthread_create) X(pthread_join) X(pthread_tryjoin_np) X(pthread_timedjoin_np) \
  X(pthread_clockjoin_np) X(pthread_detach) X(pthread_cancel) \
  X(pthread_testcancel) X(pthread_setcancelstate) X(pthread_setname_np) \
  X(pthread_getname_np) X(pthread_mutex_init) X(pthread_mutex_destroy) X(pthread_mutex_lock) \
  X(pthread_mutex_trylock) X(pthread_mutex_timedlock) X(pthread_mutex_clocklock) X(pthread_mutex_unlock) \
  X(pthread_mutex_consistent) X(pthread_rwlock_init) X(pthread_rwlock_destroy) X(pthread_rwlock_rdlock) \
  X(pthread_rwlock_tryrdlock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_clockrdlock) \
  X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) X(pthread_rwlock_timedwrlock) \
  X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) X(pthread_spin_init) X(pthread_spin_destroy) \
  X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) \
  X(pthread_cond_init) X(pthread_cond_destroy) X(pthread_cond_wait) X(pthread_cond_timedwait) \
  X(pthread_cond_clockwait) X(pthread_cond_signal) X(pthread_cond_broadcast) \
  X(pthread_barrier_init) X(pthread_barrier_destroy) X(pthread_barrier_wait) \
  X(sem_init) X(sem_destroy) X(sem_wait) X(sem_trywait) X(sem_timedwait) X(sem_clockwait) X(sem_post) \
  X(mtx_lock) X(mtx_trylock) X(mtx_timedlock) X(mtx_unlock) X(cnd_wait) X(cnd_timedwait) X(cnd_signal) \
  X(cnd_broadcast) X(thrd_create) X(thrd_join) X(pthread_once) \
  X(sched_yield) X(setuid) X(setgid) X(seteuid) X(setegid) X(setreuid) \
  X(setregid) X(setresuid) X(setresgid) X(setgroups)
// clang-format on

struct Real {
#define XB_MEMBER(name) decltype(&::name) name;
  XB_FOR_EACH_REAL(XB_MEMBER)
#undef XB_MEMBER
};

// Fills in all of them; returns the name of one that libc lacks, or nullptr.
const char* find_real_functions(Real*);

}  // namespace xbdbg::agent
