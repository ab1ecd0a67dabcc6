// Asynchronous cancellation.
#include "check.h"

static int ready, reached;
static volatile unsigned long work;

static void set_async(void) { CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL)); }

static void* compute(void* unused) {
  set_async();
  STORE(ready, 1);
  for (;;) work++;
  return unused;
}

static void a_computing_thread_is_cancelled(void) {
  ready = 0;
  pthread_t thread = start(compute, NULL);
  WAIT_UNTIL(LOAD(ready));
  CHECK_OK(pthread_cancel(thread));
  CHECK(join(thread) == PTHREAD_CANCELED);
}

static void* cancel_self_async(void* unused) {
  set_async();
  pthread_cancel(pthread_self());
  STORE(reached, 1);  // the request has acted already
  return unused;
}

static void cancelling_oneself_acts_at_once(void) {
  reached = 0;
  CHECK(in_thread(cancel_self_async, NULL) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 0);
}

static void* switch_to_async_with_a_request_pending(void* unused) {
  int old;
  CHECK_OK(pthread_cancel(pthread_self()));
  reached = 1;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  reached = 2;
  return unused;
}

static void a_pending_request_acts_on_the_switch(void) {
  CHECK(in_thread(switch_to_async_with_a_request_pending, NULL) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 1);
}

static void* enable_with_a_request_pending(void* unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cancel(pthread_self());
  reached = 1;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  reached = 2;
  return unused;
}

static void a_pending_request_acts_when_enabled(void) {
  // glibc 2.36 does not set the thread's result on this path: it is what the memory held before.
  in_thread(enable_with_a_request_pending, NULL);
  CHECK_EQ(reached, 1);
}

static int cleaned;
static void clean(void* argument) { ADD(cleaned, (int)(intptr_t)argument); }
static void* compute_with_handlers(void* unused) {
  pthread_cleanup_push(clean, (void*)1);
  pthread_cleanup_push(clean, (void*)10);
  set_async();
  STORE(ready, 1);
  for (;;) work++;
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

static void cleanup_handlers_run(void) {
  ready = cleaned = 0;
  pthread_t thread = start(compute_with_handlers, NULL);
  WAIT_UNTIL(LOAD(ready));
  CHECK_OK(pthread_cancel(thread));
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(cleaned, 11);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* block_on_lock(void* unused) {
  set_async();
  STORE(ready, 1);
  pthread_mutex_lock(&mutex);
  STORE(reached, 3);
  return unused;
}

static void a_thread_blocked_on_a_mutex_is_cancelled(void) {
  ready = reached = 0;
  CHECK_OK(pthread_mutex_lock(&mutex));
  pthread_t thread = start(block_on_lock, NULL);
  WAIT_UNTIL(LOAD(ready));
  sleep_ms(5);
  CHECK_OK(pthread_cancel(thread));
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 0);
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void* compute_disabled_for_a_while(void* unused) {
  set_async();
  CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
  STORE(ready, 1);
  while (!LOAD(reached)) sched_yield();
  return unused;
}

static void a_disabled_thread_is_left_alone(void) {
  ready = reached = 0;
  pthread_t thread = start(compute_disabled_for_a_while, (void*)8);
  WAIT_UNTIL(LOAD(ready));
  CHECK_OK(pthread_cancel(thread));
  sleep_ms(5);
  STORE(reached, 1);
  CHECK_EQ((intptr_t)join(thread), 8);
}

CHECK_MAIN(CASE(a_computing_thread_is_cancelled), CASE(cancelling_oneself_acts_at_once),
           CASE(a_pending_request_acts_on_the_switch), CASE(a_pending_request_acts_when_enabled),
           CASE(cleanup_handlers_run), CASE(a_thread_blocked_on_a_mutex_is_cancelled),
           CASE(a_disabled_thread_is_left_alone))
