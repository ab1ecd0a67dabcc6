// pthread_tryjoin_np, pthread_timedjoin_np, pthread_clockjoin_np.
#include "check.h"

static int release;
static void* wait_for_release(void* unused) {
  (void)unused;
  while (!LOAD(release)) sleep_ms(1);
  return (void*)31;
}

static void try_join(void) {
  void* result = NULL;
  int error = EBUSY;
  STORE(release, 0);
  pthread_t thread = start(wait_for_release, NULL);
  CHECK_EQ(pthread_tryjoin_np(thread, &result), EBUSY);
  STORE(release, 1);
  for (int i = 0; i < 5000 && error == EBUSY; i++) {
    error = pthread_tryjoin_np(thread, &result);
    if (error == EBUSY) sleep_ms(1);
  }
  CHECK_EQ(error, 0);
  CHECK_EQ((intptr_t)result, 31);
  CHECK_EQ(pthread_tryjoin_np(pthread_self(), NULL), EBUSY);  // glibc looks for the end first
}

static void timed_join(void) {
  void* result = NULL;
  STORE(release, 0);
  pthread_t thread = start(wait_for_release, NULL);
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  CHECK_EQ(pthread_timedjoin_np(thread, &result, &deadline), ETIMEDOUT);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  CHECK_EQ(pthread_timedjoin_np(thread, &result, &kPast), ETIMEDOUT);
  STORE(release, 1);
  deadline = time_after_ms(CLOCK_REALTIME, 30000);
  CHECK_OK(pthread_timedjoin_np(thread, &result, &deadline));
  CHECK_EQ((intptr_t)result, 31);
}

static void clock_join(void) {
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (int i = 0; i < 2; i++) {
    void* result = NULL;
    STORE(release, 0);
    pthread_t thread = start(wait_for_release, NULL);
    struct timespec deadline = time_after_ms(clocks[i], 20);
    CHECK_EQ(pthread_clockjoin_np(thread, &result, clocks[i], &deadline), ETIMEDOUT);
    CHECK(is_past(clocks[i], &deadline));
    CHECK_EQ(pthread_clockjoin_np(thread, &result, CLOCK_PROCESS_CPUTIME_ID, &deadline), EINVAL);
    STORE(release, 1);
    deadline = time_after_ms(clocks[i], 30000);
    CHECK_OK(pthread_clockjoin_np(thread, &result, clocks[i], &deadline));
    CHECK_EQ((intptr_t)result, 31);
  }
}

static void a_null_deadline_waits_for_ever(void) {
  void* result = NULL;
  STORE(release, 1);
  pthread_t thread = start(wait_for_release, NULL);
  CHECK_OK(pthread_timedjoin_np(thread, &result, NULL));
  CHECK_EQ((intptr_t)result, 31);
}

static void a_timed_out_join_can_be_repeated_by_another_thread(void) {
  STORE(release, 0);
  pthread_t thread = start(wait_for_release, NULL);
  CHECK_EQ(pthread_timedjoin_np(thread, NULL, &kPast), ETIMEDOUT);
  STORE(release, 1);
  CHECK_EQ((intptr_t)join(thread), 31);
}

static void detached_and_self(void) {
  STORE(release, 0);
  pthread_t thread = start(wait_for_release, NULL);
  CHECK_OK(pthread_detach(thread));
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 1000);
  CHECK_EQ(pthread_timedjoin_np(thread, NULL, &deadline), EINVAL);
  CHECK_EQ(pthread_timedjoin_np(pthread_self(), NULL, &deadline), EDEADLK);
  STORE(release, 1);
}

static void* cancelled_joiner(void* thread) {
  pthread_join(*(pthread_t*)thread, NULL);
  return NULL;
}

static void a_cancelled_join_leaves_the_thread_joinable(void) {
  STORE(release, 0);
  pthread_t target = start(wait_for_release, NULL);
  pthread_t joiner = start(cancelled_joiner, &target);
  sleep_ms(10);
  CHECK_OK(pthread_cancel(joiner));
  CHECK(join(joiner) == PTHREAD_CANCELED);
  STORE(release, 1);
  CHECK_EQ((intptr_t)join(target), 31);
}

CHECK_MAIN(CASE(try_join), CASE(timed_join), CASE(clock_join), CASE(a_null_deadline_waits_for_ever),
           CASE(a_timed_out_join_can_be_repeated_by_another_thread), CASE(detached_and_self),
           CASE(a_cancelled_join_leaves_the_thread_joinable))
