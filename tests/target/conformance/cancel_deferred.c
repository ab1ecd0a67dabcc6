// Deferred cancellation: states, types, pending requests, results, errors.
#include "check.h"

static int ready, release, reached;

static void reset(void) { ready = release = reached = 0; }
static void announce_and_wait(void) {
  STORE(ready, 1);
  while (!LOAD(release)) sched_yield();  // no cancellation point
}

static void* test_cancel_after_release(void* unused) {
  announce_and_wait();
  STORE(reached, 1);
  pthread_testcancel();
  STORE(reached, 2);
  return unused;
}

static void a_request_acts_at_the_next_cancellation_point(void) {
  reset();
  pthread_t thread = start(test_cancel_after_release, NULL);
  WAIT_UNTIL(LOAD(ready));
  CHECK_OK(pthread_cancel(thread));
  sleep_ms(5);
  STORE(release, 1);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 1);
}

static void* disabled(void* unused) {
  int old = -1;
  CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
  CHECK_EQ(old, PTHREAD_CANCEL_ENABLE);
  announce_and_wait();
  pthread_testcancel();
  sleep_ms(1);
  STORE(reached, 1);
  CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
  CHECK_EQ(old, PTHREAD_CANCEL_DISABLE);
  STORE(reached, 2);
  pthread_testcancel();
  STORE(reached, 3);
  return unused;
}

static void a_disabled_thread_keeps_the_request_pending(void) {
  reset();
  pthread_t thread = start(disabled, NULL);
  WAIT_UNTIL(LOAD(ready));
  CHECK_OK(pthread_cancel(thread));
  CHECK_OK(pthread_cancel(thread));  // a second request changes nothing
  STORE(release, 1);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 2);
}

static void* cancel_self(void* unused) {
  CHECK_OK(pthread_cancel(pthread_self()));
  STORE(reached, 1);
  pthread_testcancel();
  STORE(reached, 2);
  return unused;
}

static void a_thread_cancels_itself(void) {
  reset();
  CHECK(in_thread(cancel_self, NULL) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 1);
}

static void* end_before_any_point(void* unused) {
  announce_and_wait();
  return unused;
}

static void a_thread_that_ends_first_keeps_its_result(void) {
  reset();
  pthread_t thread = start(end_before_any_point, (void*)6);
  WAIT_UNTIL(LOAD(ready));
  CHECK_OK(pthread_cancel(thread));
  STORE(release, 1);
  CHECK_EQ((intptr_t)join(thread), 6);
}

static void* set_states(void* unused) {
  int old = -1;
  CHECK_EQ(pthread_setcancelstate(42, &old), EINVAL);
  CHECK_EQ(pthread_setcanceltype(42, &old), EINVAL);
  CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
  CHECK_EQ(old, PTHREAD_CANCEL_DEFERRED);
  CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
  CHECK_EQ(old, PTHREAD_CANCEL_ASYNCHRONOUS);
  CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
  CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
  CHECK_EQ(old, PTHREAD_CANCEL_DISABLE);
  return unused;
}

static void states_and_types(void) { in_thread(set_states, NULL); }

static void a_cancelled_thread_that_ended_can_be_cancelled_again(void) {
  reset();
  pthread_t thread = start(cancel_self, NULL);
  WAIT_UNTIL(LOAD(reached) == 1);
  sleep_ms(10);
  CHECK_OK(pthread_cancel(thread));  // ended perhaps, but not joined: still a valid id
  CHECK(join(thread) == PTHREAD_CANCELED);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* lock_is_no_point(void* unused) {
  STORE(ready, 1);
  CHECK_OK(pthread_mutex_lock(&mutex));
  STORE(reached, 1);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  pthread_testcancel();
  return unused;
}

static void a_mutex_lock_is_not_a_cancellation_point(void) {
  reset();
  CHECK_OK(pthread_mutex_lock(&mutex));
  pthread_t thread = start(lock_is_no_point, NULL);
  WAIT_UNTIL(LOAD(ready));
  sleep_ms(5);
  CHECK_OK(pthread_cancel(thread));
  sleep_ms(5);
  CHECK_EQ(LOAD(reached), 0);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 1);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void* no_points(void* unused) {
  static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  static pthread_spinlock_t spin;
  static pthread_barrier_t barrier;
  static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  CHECK_OK(pthread_cancel(pthread_self()));
  CHECK_OK(pthread_spin_init(&spin, 0));
  CHECK_OK(pthread_barrier_init(&barrier, NULL, 1));
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_OK(pthread_cond_signal(&cond));
  CHECK_OK(pthread_cond_broadcast(&cond));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_OK(pthread_rwlock_rdlock(&rwlock));
  CHECK_OK(pthread_rwlock_unlock(&rwlock));
  CHECK_OK(pthread_spin_lock(&spin));
  CHECK_OK(pthread_spin_unlock(&spin));
  CHECK_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  sched_yield();
  free(malloc(10));
  CHECK_EQ(pthread_kill(pthread_self(), 0), 0);
  STORE(reached, 1);
  pthread_testcancel();
  return unused;
}

static void functions_that_are_no_cancellation_points(void) {
  reset();
  CHECK(in_thread(no_points, NULL) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 1);
}

CHECK_MAIN(CASE(a_request_acts_at_the_next_cancellation_point), CASE(a_disabled_thread_keeps_the_request_pending),
           CASE(a_thread_cancels_itself), CASE(a_thread_that_ends_first_keeps_its_result), CASE(states_and_types),
           CASE(a_cancelled_thread_that_ended_can_be_cancelled_again), CASE(a_mutex_lock_is_not_a_cancellation_point),
           CASE(functions_that_are_no_cancellation_points))
