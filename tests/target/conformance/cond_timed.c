// pthread_cond_timedwait and pthread_cond_clockwait, by both clocks.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void a_timeout_returns_with_the_mutex_held(void) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  int error = 0;
  CHECK_OK(pthread_mutex_lock(&mutex));
  while (error == 0) error = pthread_cond_timedwait(&cond, &mutex, &deadline);
  CHECK_EQ(error, ETIMEDOUT);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  CHECK_EQ(pthread_mutex_lock(&mutex), EDEADLK);
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void a_past_deadline_times_out(void) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_cond_timedwait(&cond, &mutex, &kPast), ETIMEDOUT);
  CHECK_EQ(pthread_mutex_lock(&mutex), EDEADLK);
  CHECK_EQ(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &(struct timespec){0, 0}), ETIMEDOUT);
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void malformed_deadlines(void) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_cond_timedwait(&cond, &mutex, &kBadNsec), EINVAL);
  CHECK_EQ(pthread_cond_timedwait(&cond, &mutex, &kNegativeNsec), EINVAL);
  CHECK_EQ(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &kBadNsec), EINVAL);
  CHECK_EQ(pthread_cond_clockwait(&cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &kPast), EINVAL);
  CHECK_EQ(pthread_cond_clockwait(&cond, &mutex, 12345, &kPast), EINVAL);
  CHECK_EQ(pthread_mutex_lock(&mutex), EDEADLK);  // never released by these
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void clockwait_by_both_clocks(void) {
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (int i = 0; i < 2; i++) {
    struct timespec deadline = time_after_ms(clocks[i], 20);
    int error = 0;
    CHECK_OK(pthread_mutex_lock(&mutex));
    while (error == 0) error = pthread_cond_clockwait(&cond, &mutex, clocks[i], &deadline);
    CHECK_EQ(error, ETIMEDOUT);
    CHECK(is_past(clocks[i], &deadline));
    CHECK_OK(pthread_mutex_unlock(&mutex));
  }
}

static int waiting, allowed;
static void* timed_wait_long(void* monotonic) {
  clockid_t clock = monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  struct timespec deadline = time_after_ms(clock, 30000);
  int error = 0;
  CHECK_OK(pthread_mutex_lock(&mutex));
  waiting++;
  while (!allowed && error == 0)
    error = monotonic ? pthread_cond_clockwait(&cond, &mutex, clock, &deadline)
                      : pthread_cond_timedwait(&cond, &mutex, &deadline);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return (void*)(intptr_t)error;
}
static int waiters(void) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  int n = waiting;
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return n;
}

static void a_wake_up_before_the_deadline(void) {
  pthread_t threads[4];
  waiting = allowed = 0;
  for (int i = 0; i < 4; i++) threads[i] = start(timed_wait_long, i % 2 ? &waiting : NULL);
  WAIT_UNTIL(waiters() == 4);
  CHECK_OK(pthread_mutex_lock(&mutex));
  allowed = 1;
  CHECK_OK(pthread_cond_broadcast(&cond));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  for (int i = 0; i < 4; i++) CHECK_EQ((intptr_t)join(threads[i]), 0);
}

static int short_done;
static void* timed_wait_short(void* unused) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  int error = 0;
  (void)unused;
  CHECK_OK(pthread_mutex_lock(&mutex));
  while (error == 0) error = pthread_cond_timedwait(&cond, &mutex, &deadline);
  STORE(short_done, 1);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return (void*)(intptr_t)error;
}

static void a_timed_out_waiter_takes_no_wake_up_with_it(void) {
  waiting = allowed = short_done = 0;
  pthread_t patient = start(timed_wait_long, NULL);
  pthread_t hasty = start(timed_wait_short, NULL);
  WAIT_UNTIL(waiters() == 1);
  CHECK_EQ((intptr_t)join(hasty), ETIMEDOUT);
  CHECK_OK(pthread_mutex_lock(&mutex));
  allowed = 1;
  CHECK_OK(pthread_cond_signal(&cond));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ((intptr_t)join(patient), 0);
}

static void the_mutex_is_awaited_after_the_timeout(void) {
  // The waiter times out while another thread holds the mutex: it must not return before it has it.
  short_done = 0;
  pthread_t hasty = start(timed_wait_short, NULL);
  CHECK_OK(pthread_mutex_lock(&mutex));
  int done_before = LOAD(short_done);
  struct timespec pause = time_after_ms(CLOCK_MONOTONIC, 60);
  while (!is_past(CLOCK_MONOTONIC, &pause)) {
    CHECK_EQ(LOAD(short_done), done_before);
    sleep_ms(5);
  }
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ((intptr_t)join(hasty), ETIMEDOUT);
}

CHECK_MAIN(CASE(a_timeout_returns_with_the_mutex_held), CASE(a_past_deadline_times_out), CASE(malformed_deadlines),
           CASE(clockwait_by_both_clocks), CASE(a_wake_up_before_the_deadline),
           CASE(a_timed_out_waiter_takes_no_wake_up_with_it), CASE(the_mutex_is_awaited_after_the_timeout))
