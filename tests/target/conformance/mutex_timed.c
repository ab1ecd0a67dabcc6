// pthread_mutex_timedlock and pthread_mutex_clocklock.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* timed_lock_until_past(void* unused) {
  (void)unused;
  return (void*)(intptr_t)pthread_mutex_timedlock(&mutex, &kPast);
}
static void* timed_lock_20ms(void* unused) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  (void)unused;
  int error = pthread_mutex_timedlock(&mutex, &deadline);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  return (void*)(intptr_t)error;
}
static void* clock_lock_20ms(void* clock) {
  clockid_t id = (clockid_t)(intptr_t)clock;
  struct timespec deadline = time_after_ms(id, 20);
  int error = pthread_mutex_clocklock(&mutex, id, &deadline);
  CHECK(is_past(id, &deadline));
  return (void*)(intptr_t)error;
}
static void* timed_lock_bad_time(void* time) { return (void*)(intptr_t)pthread_mutex_timedlock(&mutex, time); }
static void* clock_lock_bad_time(void* time) {
  return (void*)(intptr_t)pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, time);
}
static void* timed_lock_long(void* unused) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 30000);
  (void)unused;
  int error = pthread_mutex_timedlock(&mutex, &deadline);
  if (error == 0) pthread_mutex_unlock(&mutex);
  return (void*)(intptr_t)error;
}

static void a_free_mutex_is_taken_whatever_the_deadline(void) {
  CHECK_OK(pthread_mutex_timedlock(&mutex, &kPast));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_OK(pthread_mutex_timedlock(&mutex, &kBadNsec));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_OK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &kPast));
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void a_held_mutex_times_out(void) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ((intptr_t)in_thread(timed_lock_until_past, NULL), ETIMEDOUT);
  CHECK_EQ((intptr_t)in_thread(timed_lock_20ms, NULL), ETIMEDOUT);
  CHECK_EQ((intptr_t)in_thread(clock_lock_20ms, (void*)(intptr_t)CLOCK_MONOTONIC), ETIMEDOUT);
  CHECK_EQ((intptr_t)in_thread(clock_lock_20ms, (void*)(intptr_t)CLOCK_REALTIME), ETIMEDOUT);
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void own_normal_mutex_times_out(void) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_mutex_timedlock(&mutex, &deadline), ETIMEDOUT);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void malformed_deadlines_and_clocks(void) {
  struct timespec far = time_after_ms(CLOCK_REALTIME, 10000);
  CHECK_EQ(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &far), EINVAL);
  CHECK_EQ(pthread_mutex_clocklock(&mutex, 12345, &far), EINVAL);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ((intptr_t)in_thread(timed_lock_bad_time, (void*)&kBadNsec), EINVAL);
  CHECK_EQ((intptr_t)in_thread(timed_lock_bad_time, (void*)&kNegativeNsec), EINVAL);
  CHECK_EQ((intptr_t)in_thread(clock_lock_bad_time, (void*)&kBadNsec), EINVAL);
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void release_ends_the_wait(void) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  pthread_t waiter = start(timed_lock_long, NULL);
  sleep_ms(20);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ((intptr_t)join(waiter), 0);
}

static void ignore(int signal_number) { (void)signal_number; }
static int done;
static void* timed_lock_then_flag(void* unused) {
  void* result = timed_lock_long(unused);
  STORE(done, 1);
  return result;
}

static void signals_do_not_end_the_wait(void) {
  struct sigaction action = {.sa_handler = ignore};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(pthread_mutex_lock(&mutex));
  pthread_t waiter = start(timed_lock_then_flag, NULL);
  for (int i = 0; i < 5; i++) {
    sleep_ms(5);
    CHECK_OK(pthread_kill(waiter, SIGUSR1));
  }
  CHECK_EQ(LOAD(done), 0);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ((intptr_t)join(waiter), 0);
}

static void recursive_and_errorcheck(void) {
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  CHECK_OK(pthread_mutex_timedlock(&recursive, &kPast));
  CHECK_OK(pthread_mutex_timedlock(&recursive, &kPast));
  CHECK_OK(pthread_mutex_unlock(&recursive));
  CHECK_OK(pthread_mutex_unlock(&recursive));
  CHECK_EQ(pthread_mutex_unlock(&recursive), EPERM);
  CHECK_OK(pthread_mutex_timedlock(&errorcheck, &kPast));
  CHECK_EQ(pthread_mutex_timedlock(&errorcheck, &kPast), EDEADLK);
  CHECK_OK(pthread_mutex_unlock(&errorcheck));
}

CHECK_MAIN(CASE(a_free_mutex_is_taken_whatever_the_deadline), CASE(a_held_mutex_times_out),
           CASE(own_normal_mutex_times_out), CASE(malformed_deadlines_and_clocks), CASE(release_ends_the_wait),
           CASE(signals_do_not_end_the_wait), CASE(recursive_and_errorcheck))
