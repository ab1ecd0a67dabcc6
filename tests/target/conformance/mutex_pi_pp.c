// Priority inheritance and priority ceiling: protocol attributes, ceilings and their errors.
#include <sched.h>

#include "check.h"

static int make(pthread_mutex_t* mutex, int type, int protocol, int ceiling) {
  pthread_mutexattr_t attr;
  CHECK_OK(pthread_mutexattr_init(&attr));
  CHECK_OK(pthread_mutexattr_settype(&attr, type));
  CHECK_OK(pthread_mutexattr_setprotocol(&attr, protocol));
  if (ceiling > 0) CHECK_OK(pthread_mutexattr_setprioceiling(&attr, ceiling));
  return pthread_mutex_init(mutex, &attr);
}

static void* try_lock(void* mutex) { return (void*)(intptr_t)pthread_mutex_trylock(mutex); }
static void* unlock(void* mutex) { return (void*)(intptr_t)pthread_mutex_unlock(mutex); }
static void* timed_lock(void* mutex) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  return (void*)(intptr_t)pthread_mutex_timedlock(mutex, &deadline);
}

static void attributes(void) {
  pthread_mutexattr_t attr;
  int value = -1;
  int low = sched_get_priority_min(SCHED_FIFO), high = sched_get_priority_max(SCHED_FIFO);
  CHECK_OK(pthread_mutexattr_init(&attr));
  CHECK_OK(pthread_mutexattr_getprotocol(&attr, &value));
  CHECK_EQ(value, PTHREAD_PRIO_NONE);
  CHECK_EQ(pthread_mutexattr_setprotocol(&attr, 42), EINVAL);
  CHECK_OK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT));
  CHECK_OK(pthread_mutexattr_getprotocol(&attr, &value));
  CHECK_EQ(value, PTHREAD_PRIO_PROTECT);
  CHECK_OK(pthread_mutexattr_getprioceiling(&attr, &value));
  CHECK(value >= low && value <= high);
  CHECK_OK(pthread_mutexattr_setprioceiling(&attr, high));
  CHECK_OK(pthread_mutexattr_getprioceiling(&attr, &value));
  CHECK_EQ(value, high);
  CHECK_EQ(pthread_mutexattr_setprioceiling(&attr, high + 1), EINVAL);
  CHECK_EQ(pthread_mutexattr_setprioceiling(&attr, low - 1), EINVAL);
  CHECK_OK(pthread_mutexattr_destroy(&attr));
}

static void inheritance_keeps_the_rules_of_each_type(void) {
  pthread_mutex_t normal, recursive, errorcheck;
  CHECK_OK(make(&normal, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 0));
  CHECK_OK(make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, 0));
  CHECK_OK(make(&errorcheck, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, 0));

  CHECK_OK(pthread_mutex_lock(&normal));
  CHECK_EQ(pthread_mutex_trylock(&normal), EBUSY);
  CHECK_EQ((intptr_t)in_thread(try_lock, &normal), EBUSY);
  CHECK_EQ((intptr_t)in_thread(timed_lock, &normal), ETIMEDOUT);
  CHECK_OK(pthread_mutex_unlock(&normal));

  CHECK_OK(pthread_mutex_lock(&recursive));
  CHECK_OK(pthread_mutex_lock(&recursive));
  CHECK_OK(pthread_mutex_trylock(&recursive));
  CHECK_EQ((intptr_t)in_thread(unlock, &recursive), EPERM);
  for (int i = 0; i < 3; i++) CHECK_OK(pthread_mutex_unlock(&recursive));
  CHECK_EQ(pthread_mutex_unlock(&recursive), EPERM);

  CHECK_OK(pthread_mutex_lock(&errorcheck));
  CHECK_EQ(pthread_mutex_lock(&errorcheck), EDEADLK);
  CHECK_EQ((intptr_t)in_thread(unlock, &errorcheck), EPERM);
  CHECK_OK(pthread_mutex_unlock(&errorcheck));
  CHECK_EQ(pthread_mutex_unlock(&errorcheck), EPERM);

  CHECK_OK(pthread_mutex_destroy(&normal));
  CHECK_OK(pthread_mutex_destroy(&recursive));
  CHECK_OK(pthread_mutex_destroy(&errorcheck));
}

static void inheritance_refuses_the_monotonic_clock_or_times_out(void) {
  // Kernels before 5.14 cannot wait on a PI futex with CLOCK_MONOTONIC; glibc 2.36 then says EINVAL.
  pthread_mutex_t mutex;
  CHECK_OK(make(&mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, 0));
  CHECK_EQ(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &kPast), EINVAL);
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 1000);
  int error = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline);
  CHECK(error == 0 || error == EINVAL);
  if (error == 0) CHECK_OK(pthread_mutex_unlock(&mutex));
}

struct Shared {
  pthread_mutex_t mutex;
  long counter;
};
static void* increment(void* argument) {
  struct Shared* shared = argument;
  for (int i = 0; i < 200; i++) {
    CHECK_OK(pthread_mutex_lock(&shared->mutex));
    long seen = shared->counter;
    if (i % 20 == 0) sched_yield();
    shared->counter = seen + 1;
    CHECK_OK(pthread_mutex_unlock(&shared->mutex));
  }
  return NULL;
}

static void inheritance_excludes(void) {
  struct Shared shared = {.counter = 0};
  pthread_t threads[3];
  CHECK_OK(make(&shared.mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 0));
  for (int i = 0; i < 3; i++) threads[i] = start(increment, &shared);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(shared.counter, 600);
}

static void ceilings(void) {
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, inherit, protect;
  int high = sched_get_priority_max(SCHED_FIFO), old = -1, now = -1;
  CHECK_OK(make(&inherit, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 0));
  CHECK_OK(make(&protect, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_PROTECT, high));
  CHECK_EQ(pthread_mutex_getprioceiling(&plain, &now), EINVAL);
  CHECK_EQ(pthread_mutex_getprioceiling(&inherit, &now), EINVAL);
  CHECK_OK(pthread_mutex_getprioceiling(&protect, &now));
  CHECK_EQ(now, high);
  CHECK_EQ(pthread_mutex_setprioceiling(&plain, high, &old), EINVAL);
  CHECK_EQ(pthread_mutex_setprioceiling(&inherit, high, &old), EINVAL);
  CHECK_EQ(pthread_mutex_setprioceiling(&protect, high + 1, &old), EINVAL);
  CHECK_EQ(pthread_mutex_setprioceiling(&protect, -1, &old), EINVAL);
}

static void* lock_protected(void* mutex) {
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  // A SCHED_OTHER thread has no priority that could be raised.
  CHECK_EQ(pthread_mutex_lock(mutex), EINVAL);
  int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
  if (error != 0) {
    CHECK_EQ(error, EPERM);
    printf("protected_lock: SCHED_FIFO is not permitted here, the rest is skipped\n");
    return NULL;
  }
  CHECK_OK(pthread_mutex_lock(mutex));
  CHECK_EQ(pthread_mutex_lock(mutex), EDEADLK);
  CHECK_EQ(pthread_mutex_trylock(mutex), EDEADLK);  // not EBUSY: so does glibc 2.36 for this protocol
  CHECK_EQ((intptr_t)in_thread(try_lock, mutex), EBUSY);
  CHECK_OK(pthread_mutex_unlock(mutex));
  return NULL;
}

static void protected_lock(void) {
  pthread_mutex_t mutex;
  CHECK_OK(make(&mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_PROTECT, sched_get_priority_min(SCHED_FIFO) + 1));
  in_thread(lock_protected, &mutex);
  CHECK_EQ(pthread_mutex_unlock(&mutex), EPERM);
  CHECK_OK(pthread_mutex_destroy(&mutex));
}

CHECK_MAIN(CASE(attributes), CASE(inheritance_keeps_the_rules_of_each_type),
           CASE(inheritance_refuses_the_monotonic_clock_or_times_out), CASE(inheritance_excludes), CASE(ceilings),
           CASE(protected_lock))
