// pthread_cleanup_push and pop: order, what runs them and what does not, their relation to key destructors.
#include "check.h"

static char log_of[32];
static int log_length;
static void note(void* letter) {
  log_of[__atomic_fetch_add(&log_length, 1, __ATOMIC_SEQ_CST)] = *(const char*)letter;
}
static void reset(void) {
  memset(log_of, 0, sizeof log_of);
  log_length = 0;
}

static void* pop_with_and_without(void* unused) {
  pthread_cleanup_push(note, "a");
  pthread_cleanup_push(note, "b");
  pthread_cleanup_push(note, "c");
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(1);
  return unused;
}

static void pop_runs_the_handler_if_asked(void) {
  reset();
  in_thread(pop_with_and_without, NULL);
  CHECK(strcmp(log_of, "ca") == 0);
  reset();
  pop_with_and_without(NULL);
  CHECK(strcmp(log_of, "ca") == 0);
}

static void exit_below(void) {
  pthread_cleanup_push(note, "3");
  pthread_exit((void*)5);
  pthread_cleanup_pop(0);
}
static void* exit_with_handlers(void* unused) {
  pthread_cleanup_push(note, "1");
  pthread_cleanup_push(note, "2");
  exit_below();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

static void pthread_exit_runs_all_in_reverse(void) {
  reset();
  CHECK_EQ((intptr_t)in_thread(exit_with_handlers, NULL), 5);
  CHECK(strcmp(log_of, "321") == 0);
}

static void* cancel_with_handlers(void* unused) {
  pthread_cleanup_push(note, "1");
  pthread_cleanup_push(note, "2");
  pthread_cancel(pthread_self());
  pthread_testcancel();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

static void cancellation_runs_all_in_reverse(void) {
  reset();
  CHECK(in_thread(cancel_with_handlers, NULL) == PTHREAD_CANCELED);
  CHECK(strcmp(log_of, "21") == 0);
}

static pthread_key_t key;
static void note_key(void* letter) { note(letter); }
static void* exit_with_handler_and_key(void* unused) {
  CHECK_OK(pthread_setspecific(key, "k"));
  pthread_cleanup_push(note, "h");
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
  return unused;
}

static void handlers_run_before_key_destructors(void) {
  reset();
  CHECK_OK(pthread_key_create(&key, note_key));
  in_thread(exit_with_handler_and_key, NULL);
  CHECK(strcmp(log_of, "hk") == 0);
}

static void check_cancellation_off(void* unused) {
  (void)unused;
  // While handlers run, another request must not act again.
  pthread_cancel(pthread_self());
  pthread_testcancel();
  sleep_ms(1);
  note("x");
}
static void* cancel_again_in_handler(void* unused) {
  pthread_cleanup_push(note, "1");
  pthread_cleanup_push(check_cancellation_off, NULL);
  pthread_cancel(pthread_self());
  pthread_testcancel();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

static void a_handler_is_not_cancelled_again(void) {
  reset();
  CHECK(in_thread(cancel_again_in_handler, NULL) == PTHREAD_CANCELED);
  CHECK(strcmp(log_of, "x1") == 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock_in_handler(void* unused) {
  (void)unused;
  CHECK_OK(pthread_mutex_lock(&mutex));  // handlers may block
  note("l");
  CHECK_OK(pthread_mutex_unlock(&mutex));
}
static void* exit_with_blocking_handler(void* unused) {
  pthread_cleanup_push(lock_in_handler, NULL);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
  return unused;
}

static void a_handler_may_block(void) {
  reset();
  CHECK_OK(pthread_mutex_lock(&mutex));
  pthread_t thread = start(exit_with_blocking_handler, NULL);
  sleep_ms(10);
  CHECK_EQ(LOAD(log_length), 0);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  join(thread);
  CHECK(strcmp(log_of, "l") == 0);
}

static void* deferred_push(void* unused) {
  int type = -1;
  CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
  pthread_cleanup_push_defer_np(note, "d");
  CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type));
  CHECK_EQ(type, PTHREAD_CANCEL_DEFERRED);
  pthread_cleanup_pop_restore_np(1);
  CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type));
  CHECK_EQ(type, PTHREAD_CANCEL_ASYNCHRONOUS);
  return unused;
}

static void push_defer_and_pop_restore(void) {
  reset();
  in_thread(deferred_push, NULL);
  CHECK(strcmp(log_of, "d") == 0);
}

CHECK_MAIN(CASE(pop_runs_the_handler_if_asked), CASE(pthread_exit_runs_all_in_reverse),
           CASE(cancellation_runs_all_in_reverse), CASE(handlers_run_before_key_destructors),
           CASE(a_handler_is_not_cancelled_again), CASE(a_handler_may_block), CASE(push_defer_and_pop_restore))
