// Normal, recursive, error-checking and adaptive mutexes: who may lock and unlock, and every error that is returned.
#include "check.h"

static pthread_mutex_t make(int type) {
  pthread_mutex_t mutex;
  pthread_mutexattr_t attr;
  CHECK_OK(pthread_mutexattr_init(&attr));
  CHECK_OK(pthread_mutexattr_settype(&attr, type));
  CHECK_OK(pthread_mutex_init(&mutex, &attr));
  CHECK_OK(pthread_mutexattr_destroy(&attr));
  return mutex;
}

static void* try_lock(void* mutex) { return (void*)(intptr_t)pthread_mutex_trylock(mutex); }
static void* try_lock_and_unlock(void* mutex) {
  int error = pthread_mutex_trylock(mutex);
  if (error == 0) pthread_mutex_unlock(mutex);
  return (void*)(intptr_t)error;
}
static void* unlock(void* mutex) { return (void*)(intptr_t)pthread_mutex_unlock(mutex); }

static void normal_trylock_of_own_lock_is_busy(void) {
  pthread_mutex_t mutex = make(PTHREAD_MUTEX_NORMAL);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_mutex_trylock(&mutex), EBUSY);
  CHECK_EQ((intptr_t)in_thread(try_lock, &mutex), EBUSY);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ((intptr_t)in_thread(try_lock_and_unlock, &mutex), 0);
  CHECK_OK(pthread_mutex_destroy(&mutex));
}

static void normal_unlock_by_another_thread_succeeds(void) {
  // Undefined by POSIX; glibc allows it, and programs hand locks over this way.
  pthread_mutex_t mutex = make(PTHREAD_MUTEX_NORMAL);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ((intptr_t)in_thread(unlock, &mutex), 0);
  CHECK_OK(pthread_mutex_trylock(&mutex));
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void errorcheck_relock_is_deadlock(void) {
  pthread_mutex_t mutex = make(PTHREAD_MUTEX_ERRORCHECK);
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 10);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_mutex_lock(&mutex), EDEADLK);
  CHECK_EQ(pthread_mutex_timedlock(&mutex, &deadline), EDEADLK);
  CHECK_EQ(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &deadline), EDEADLK);
  CHECK_EQ(pthread_mutex_trylock(&mutex), EBUSY);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ(pthread_mutex_unlock(&mutex), EPERM);
}

static void errorcheck_unlock_by_another_thread_is_refused(void) {
  pthread_mutex_t mutex = make(PTHREAD_MUTEX_ERRORCHECK);
  CHECK_EQ(pthread_mutex_unlock(&mutex), EPERM);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ((intptr_t)in_thread(unlock, &mutex), EPERM);
  CHECK_EQ((intptr_t)in_thread(try_lock, &mutex), EBUSY);
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void recursive_counts(void) {
  pthread_mutex_t mutex = make(PTHREAD_MUTEX_RECURSIVE);
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 1000);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_OK(pthread_mutex_trylock(&mutex));
  CHECK_OK(pthread_mutex_timedlock(&mutex, &deadline));
  for (int held = 4; held > 0; held--) {
    CHECK_EQ((intptr_t)in_thread(try_lock, &mutex), EBUSY);
    CHECK_EQ((intptr_t)in_thread(unlock, &mutex), EPERM);
    CHECK_OK(pthread_mutex_unlock(&mutex));
  }
  CHECK_EQ((intptr_t)in_thread(try_lock_and_unlock, &mutex), 0);
  CHECK_EQ(pthread_mutex_unlock(&mutex), EPERM);
  CHECK_OK(pthread_mutex_destroy(&mutex));
}

static void adaptive_behaves_as_normal(void) {
  pthread_mutex_t mutex = make(PTHREAD_MUTEX_ADAPTIVE_NP);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_mutex_trylock(&mutex), EBUSY);
  CHECK_EQ((intptr_t)in_thread(try_lock, &mutex), EBUSY);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ((intptr_t)in_thread(try_lock_and_unlock, &mutex), 0);
}

static void destroy_of_a_held_mutex_is_busy(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
  for (int i = 0; i < 3; i++) {
    pthread_mutex_t mutex = make(types[i]);
    CHECK_OK(pthread_mutex_lock(&mutex));
    CHECK_EQ(pthread_mutex_destroy(&mutex), EBUSY);
    CHECK_OK(pthread_mutex_unlock(&mutex));
    CHECK_OK(pthread_mutex_destroy(&mutex));
    CHECK_EQ(pthread_mutex_lock(&mutex), EINVAL);
    CHECK_EQ(pthread_mutex_trylock(&mutex), EINVAL);
    CHECK_EQ(pthread_mutex_unlock(&mutex), EINVAL);
    CHECK_OK(pthread_mutex_init(&mutex, NULL));
    CHECK_OK(pthread_mutex_lock(&mutex));
    CHECK_OK(pthread_mutex_unlock(&mutex));
  }
}

static void static_initialisers(void) {
  pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  CHECK_OK(pthread_mutex_lock(&normal));
  CHECK_OK(pthread_mutex_unlock(&normal));
  CHECK_OK(pthread_mutex_lock(&recursive));
  CHECK_OK(pthread_mutex_lock(&recursive));
  CHECK_OK(pthread_mutex_lock(&errorcheck));
  CHECK_EQ(pthread_mutex_lock(&errorcheck), EDEADLK);
}

static void attributes(void) {
  pthread_mutexattr_t attr;
  int value = -1;
  CHECK_OK(pthread_mutexattr_init(&attr));
  CHECK_OK(pthread_mutexattr_gettype(&attr, &value));
  CHECK_EQ(value, PTHREAD_MUTEX_DEFAULT);
  CHECK_EQ(pthread_mutexattr_settype(&attr, 42), EINVAL);
  CHECK_EQ(pthread_mutexattr_settype(&attr, -1), EINVAL);
  CHECK_OK(pthread_mutexattr_getpshared(&attr, &value));
  CHECK_EQ(value, PTHREAD_PROCESS_PRIVATE);
  CHECK_OK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_mutexattr_getpshared(&attr, &value));
  CHECK_EQ(value, PTHREAD_PROCESS_SHARED);
  CHECK_EQ(pthread_mutexattr_setpshared(&attr, 42), EINVAL);
  CHECK_OK(pthread_mutexattr_getrobust(&attr, &value));
  CHECK_EQ(value, PTHREAD_MUTEX_STALLED);
  CHECK_EQ(pthread_mutexattr_setrobust(&attr, 42), EINVAL);
  CHECK_OK(pthread_mutexattr_destroy(&attr));
}

struct Shared {
  pthread_mutex_t mutex;
  long counter;
  int inside;
};

static void* increment(void* argument) {
  struct Shared* shared = argument;
  for (int i = 0; i < 500; i++) {
    CHECK_OK(pthread_mutex_lock(&shared->mutex));
    CHECK_EQ(ADD(shared->inside, 1), 1);
    long seen = shared->counter;
    if (i % 50 == 0) sched_yield();
    shared->counter = seen + 1;
    ADD(shared->inside, -1);
    CHECK_OK(pthread_mutex_unlock(&shared->mutex));
  }
  return NULL;
}

static void mutual_exclusion(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE,
                              PTHREAD_MUTEX_ADAPTIVE_NP};
  for (int i = 0; i < 4; i++) {
    struct Shared shared = {make(types[i]), 0, 0};
    pthread_t threads[4];
    for (int t = 0; t < 4; t++) threads[t] = start(increment, &shared);
    for (int t = 0; t < 4; t++) join(threads[t]);
    CHECK_EQ(shared.counter, 2000);
    CHECK_OK(pthread_mutex_destroy(&shared.mutex));
  }
}

CHECK_MAIN(CASE(normal_trylock_of_own_lock_is_busy), CASE(normal_unlock_by_another_thread_succeeds),
           CASE(errorcheck_relock_is_deadlock), CASE(errorcheck_unlock_by_another_thread_is_refused),
           CASE(recursive_counts), CASE(adaptive_behaves_as_normal), CASE(destroy_of_a_held_mutex_is_busy),
           CASE(static_initialisers), CASE(attributes), CASE(mutual_exclusion))
