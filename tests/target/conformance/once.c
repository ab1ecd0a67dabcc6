// pthread_once: exactly once, everyone waits for it, cancellation and nesting.
#include "check.h"

static int runs, finished;
static void slow_init(void) {
  ADD(runs, 1);
  sleep_ms(10);
  STORE(finished, 1);
}
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void* call_once_and_look(void* unused) {
  CHECK_OK(pthread_once(&once, slow_init));
  CHECK_EQ(LOAD(finished), 1);
  return unused;
}

static void all_callers_wait_for_the_one_run(void) {
  pthread_t threads[6];
  for (int i = 0; i < 6; i++) threads[i] = start(call_once_and_look, NULL);
  for (int i = 0; i < 6; i++) join(threads[i]);
  CHECK_OK(pthread_once(&once, slow_init));
  CHECK_EQ(runs, 1);
}

static pthread_once_t cancelled_once = PTHREAD_ONCE_INIT;
static int attempts, entered;
static void init_that_is_cancelled_first(void) {
  if (ADD(attempts, 1) == 1) {
    STORE(entered, 1);
    for (;;) sleep_ms(1);  // a cancellation point
  }
}
static void* call_cancelled_once(void* unused) {
  CHECK_OK(pthread_once(&cancelled_once, init_that_is_cancelled_first));
  return unused;
}

static void a_cancelled_run_does_not_count(void) {
  pthread_t first = start(call_cancelled_once, NULL);
  WAIT_UNTIL(LOAD(entered));
  pthread_t second = start(call_cancelled_once, NULL);
  sleep_ms(5);
  CHECK_OK(pthread_cancel(first));
  CHECK(join(first) == PTHREAD_CANCELED);
  CHECK(join(second) == NULL);
  CHECK_EQ(attempts, 2);
}

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int inner_runs, outer_runs;
static void inner_init(void) { inner_runs++; }
static void outer_init(void) {
  outer_runs++;
  CHECK_OK(pthread_once(&inner, inner_init));
}

static void one_may_call_another(void) {
  CHECK_OK(pthread_once(&outer, outer_init));
  CHECK_OK(pthread_once(&inner, inner_init));
  CHECK_EQ(outer_runs, 1);
  CHECK_EQ(inner_runs, 1);
}

static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
static int exit_runs;
static void init_that_exits_the_thread(void) {
  if (ADD(exit_runs, 1) == 1) pthread_exit((void*)7);
}
static void* call_exit_once(void* unused) {
  CHECK_OK(pthread_once(&exit_once, init_that_exits_the_thread));
  return unused;
}

static void a_run_ended_by_pthread_exit_does_not_count(void) {
  CHECK_EQ((intptr_t)in_thread(call_exit_once, NULL), 7);
  CHECK_EQ((intptr_t)in_thread(call_exit_once, NULL), 0);
  CHECK_EQ(exit_runs, 2);
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static int fork_runs;
static void fork_init(void) { ADD(fork_runs, 1); }
static void call_fork_once(void* unused) {
  (void)unused;
  CHECK_OK(pthread_once(&fork_once, fork_init));
  CHECK_EQ(fork_runs, 1);
}

static void a_done_once_is_done_in_the_child(void) {
  call_fork_once(NULL);
  CHECK_EQ(in_child(call_fork_once, NULL), 0);
}

CHECK_MAIN(CASE(all_callers_wait_for_the_one_run), CASE(a_cancelled_run_does_not_count), CASE(one_may_call_another),
           CASE(a_run_ended_by_pthread_exit_does_not_count), CASE(a_done_once_is_done_in_the_child))
