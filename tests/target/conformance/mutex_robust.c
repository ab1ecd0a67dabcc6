// Robust mutexes: the owner ends while holding one.
#include "check.h"

static pthread_mutex_t make(int type, int protocol) {
  pthread_mutex_t mutex;
  pthread_mutexattr_t attr;
  CHECK_OK(pthread_mutexattr_init(&attr));
  CHECK_OK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
  CHECK_OK(pthread_mutexattr_settype(&attr, type));
  CHECK_OK(pthread_mutexattr_setprotocol(&attr, protocol));
  CHECK_OK(pthread_mutex_init(&mutex, &attr));
  return mutex;
}

static void* lock_and_end(void* mutex) {
  CHECK_OK(pthread_mutex_lock(mutex));
  return NULL;
}
static void* lock_and_exit(void* mutex) {
  CHECK_OK(pthread_mutex_lock(mutex));
  pthread_exit(NULL);
}
static void* lock_and_be_cancelled(void* mutex) {
  CHECK_OK(pthread_mutex_lock(mutex));
  pthread_cancel(pthread_self());
  pthread_testcancel();
  return NULL;
}

static void recover(pthread_mutex_t* mutex) {
  CHECK_OK(pthread_mutex_consistent(mutex));
  CHECK_OK(pthread_mutex_unlock(mutex));
  CHECK_OK(pthread_mutex_lock(mutex));
  CHECK_OK(pthread_mutex_unlock(mutex));
}

static void every_lock_call_reports_owner_death(void) {
  for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT; protocol++) {
    pthread_mutex_t mutex = make(PTHREAD_MUTEX_NORMAL, protocol);
    struct timespec deadline = time_after_ms(CLOCK_REALTIME, 5000);
    in_thread(lock_and_end, &mutex);
    CHECK_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
    recover(&mutex);
    in_thread(lock_and_exit, &mutex);
    CHECK_EQ(pthread_mutex_trylock(&mutex), EOWNERDEAD);
    recover(&mutex);
    in_thread(lock_and_be_cancelled, &mutex);
    CHECK_EQ(pthread_mutex_timedlock(&mutex, &deadline), EOWNERDEAD);
    recover(&mutex);
    if (protocol == PTHREAD_PRIO_NONE) {
      in_thread(lock_and_end, &mutex);
      CHECK_EQ(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &deadline), EOWNERDEAD);
      recover(&mutex);
    }
    CHECK_OK(pthread_mutex_destroy(&mutex));
  }
}

static void unlock_without_consistent_makes_it_unusable(void) {
  for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT; protocol++) {
    pthread_mutex_t mutex = make(PTHREAD_MUTEX_NORMAL, protocol);
    struct timespec deadline = time_after_ms(CLOCK_REALTIME, 5000);
    in_thread(lock_and_end, &mutex);
    CHECK_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
    CHECK_OK(pthread_mutex_unlock(&mutex));
    CHECK_EQ(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
    CHECK_EQ(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
    CHECK_EQ(pthread_mutex_timedlock(&mutex, &deadline), ENOTRECOVERABLE);
    CHECK_EQ(pthread_mutex_timedlock(&mutex, &deadline), ENOTRECOVERABLE);
    // Last: in glibc 2.36 this leaves the lock word taken, and what follows would block.
    CHECK_EQ(pthread_mutex_trylock(&mutex), ENOTRECOVERABLE);
    CHECK_EQ(pthread_mutex_consistent(&mutex), EINVAL);
    CHECK_OK(pthread_mutex_destroy(&mutex));
    CHECK_OK(pthread_mutex_init(&mutex, NULL));
    CHECK_OK(pthread_mutex_lock(&mutex));
  }
}

struct Waiter {
  pthread_mutex_t* mutex;
  int result;
};
static void* wait_for_lock(void* argument) {
  struct Waiter* waiter = argument;
  waiter->result = pthread_mutex_lock(waiter->mutex);
  if (waiter->result == EOWNERDEAD) {
    // Left inconsistent on purpose: the next waiter must learn it.
    CHECK_OK(pthread_mutex_unlock(waiter->mutex));
  }
  return NULL;
}
static void* lock_start_waiters_and_end(void* argument) {
  struct Waiter* waiters = argument;
  static pthread_t threads[2];
  CHECK_OK(pthread_mutex_lock(waiters[0].mutex));
  for (int i = 0; i < 2; i++) threads[i] = start(wait_for_lock, &waiters[i]);
  sleep_ms(20);
  return threads;
}

static void blocked_waiters_wake_when_the_owner_ends(void) {
  pthread_mutex_t mutex = make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
  struct Waiter waiters[2] = {{&mutex, -1}, {&mutex, -1}};
  pthread_t* threads = in_thread(lock_start_waiters_and_end, waiters);
  join(threads[0]);
  join(threads[1]);
  int dead = (waiters[0].result == EOWNERDEAD) + (waiters[1].result == EOWNERDEAD);
  int lost = (waiters[0].result == ENOTRECOVERABLE) + (waiters[1].result == ENOTRECOVERABLE);
  CHECK_EQ(dead, 1);
  CHECK_EQ(lost, 1);
}

static void* unlock(void* mutex) { return (void*)(intptr_t)pthread_mutex_unlock(mutex); }

static void errors(void) {
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t robust = make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
  CHECK_EQ(pthread_mutex_consistent(&plain), EINVAL);
  CHECK_EQ(pthread_mutex_consistent(&robust), EINVAL);
  CHECK_OK(pthread_mutex_lock(&robust));
  CHECK_EQ(pthread_mutex_consistent(&robust), EINVAL);
  CHECK_EQ((intptr_t)in_thread(unlock, &robust), EPERM);
  CHECK_EQ(pthread_mutex_trylock(&robust), EBUSY);
  CHECK_OK(pthread_mutex_unlock(&robust));
  CHECK_EQ(pthread_mutex_unlock(&robust), EPERM);
}

static void robust_types_keep_their_rules(void) {
  pthread_mutex_t recursive = make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
  pthread_mutex_t errorcheck = make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
  in_thread(lock_and_end, &recursive);
  CHECK_EQ(pthread_mutex_lock(&recursive), EOWNERDEAD);
  CHECK_OK(pthread_mutex_consistent(&recursive));
  CHECK_OK(pthread_mutex_lock(&recursive));
  CHECK_OK(pthread_mutex_unlock(&recursive));
  CHECK_OK(pthread_mutex_unlock(&recursive));
  CHECK_EQ(pthread_mutex_unlock(&recursive), EPERM);
  CHECK_OK(pthread_mutex_lock(&errorcheck));
  CHECK_EQ(pthread_mutex_lock(&errorcheck), EDEADLK);
  CHECK_OK(pthread_mutex_unlock(&errorcheck));
  in_thread(lock_and_end, &errorcheck);
  CHECK_EQ(pthread_mutex_trylock(&errorcheck), EOWNERDEAD);
  recover(&errorcheck);
}

static pthread_mutex_t cond_mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, signalled;
static void* wait_on_condition(void* unused) {
  int error = 0;
  (void)unused;
  CHECK_OK(pthread_mutex_lock(&cond_mutex));
  waiting = 1;
  while (!signalled && error == 0) error = pthread_cond_wait(&cond, &cond_mutex);
  if (error == EOWNERDEAD) CHECK_OK(pthread_mutex_consistent(&cond_mutex));
  CHECK_OK(pthread_mutex_unlock(&cond_mutex));
  return (void*)(intptr_t)error;
}
static void* signal_and_end_with_the_lock(void* unused) {
  (void)unused;
  CHECK_OK(pthread_mutex_lock(&cond_mutex));
  signalled = 1;
  CHECK_OK(pthread_cond_signal(&cond));
  return NULL;
}

static void cond_wait_reports_owner_death(void) {
  cond_mutex = make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
  pthread_t waiter = start(wait_on_condition, NULL);
  WAIT_UNTIL(LOAD(waiting));
  in_thread(signal_and_end_with_the_lock, NULL);
  CHECK_EQ((intptr_t)join(waiter), EOWNERDEAD);
}

CHECK_MAIN(CASE(every_lock_call_reports_owner_death), CASE(unlock_without_consistent_makes_it_unusable),
           CASE(blocked_waiters_wake_when_the_owner_ends), CASE(errors), CASE(robust_types_keep_their_rules),
           CASE(cond_wait_reports_owner_death))
