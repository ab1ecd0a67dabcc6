// The clock attribute of a condition variable decides what pthread_cond_timedwait's deadline means.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void make(pthread_cond_t* cond, clockid_t clock) {
  pthread_condattr_t attr;
  CHECK_OK(pthread_condattr_init(&attr));
  CHECK_OK(pthread_condattr_setclock(&attr, clock));
  CHECK_OK(pthread_cond_init(cond, &attr));
  CHECK_OK(pthread_condattr_destroy(&attr));
}

static int wait_until_error(pthread_cond_t* cond, const struct timespec* deadline) {
  int error = 0;
  CHECK_OK(pthread_mutex_lock(&mutex));
  while (error == 0) error = pthread_cond_timedwait(cond, &mutex, deadline);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return error;
}

static void monotonic_deadlines(void) {
  pthread_cond_t cond;
  make(&cond, CLOCK_MONOTONIC);
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 30);
  CHECK_EQ(wait_until_error(&cond, &deadline), ETIMEDOUT);
  CHECK(is_past(CLOCK_MONOTONIC, &deadline));
  CHECK_OK(pthread_cond_destroy(&cond));
}

static void realtime_deadlines(void) {
  pthread_cond_t cond;
  make(&cond, CLOCK_REALTIME);
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 30);
  CHECK_EQ(wait_until_error(&cond, &deadline), ETIMEDOUT);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  CHECK_OK(pthread_cond_destroy(&cond));
}

static void a_monotonic_time_is_long_past_on_the_wall_clock(void) {
  // The two clocks differ by decades: mixing them up turns this into a hang.
  pthread_cond_t cond;
  make(&cond, CLOCK_REALTIME);
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 1000000);
  CHECK_EQ(wait_until_error(&cond, &deadline), ETIMEDOUT);
  CHECK(!is_past(CLOCK_MONOTONIC, &deadline));
}

static void clockwait_overrides_the_attribute(void) {
  pthread_cond_t cond;
  make(&cond, CLOCK_MONOTONIC);
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  int error = 0;
  CHECK_OK(pthread_mutex_lock(&mutex));
  while (error == 0) error = pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &deadline);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ(error, ETIMEDOUT);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
}

static void malformed_deadlines(void) {
  pthread_cond_t cond;
  make(&cond, CLOCK_MONOTONIC);
  CHECK_EQ(wait_until_error(&cond, &kBadNsec), EINVAL);
  CHECK_EQ(wait_until_error(&cond, &kNegativeNsec), EINVAL);
}

CHECK_MAIN(CASE(monotonic_deadlines), CASE(realtime_deadlines), CASE(a_monotonic_time_is_long_past_on_the_wall_clock),
           CASE(clockwait_overrides_the_attribute), CASE(malformed_deadlines))
