// C11 threads.h: thrd_*, mtx_*, cnd_*, tss_*, call_once.
#include <threads.h>

#include "check.h"

static int return_seven(void* unused) {
  (void)unused;
  return 7;
}
static int exit_with_eight(void* unused) {
  (void)unused;
  thrd_exit(8);
}

static void create_join_exit(void) {
  thrd_t thread;
  int result = 0;
  CHECK_EQ(thrd_create(&thread, return_seven, NULL), thrd_success);
  CHECK_EQ(thrd_join(thread, &result), thrd_success);
  CHECK_EQ(result, 7);
  CHECK_EQ(thrd_create(&thread, exit_with_eight, NULL), thrd_success);
  CHECK_EQ(thrd_join(thread, &result), thrd_success);
  CHECK_EQ(result, 8);
  CHECK_EQ(thrd_create(&thread, return_seven, NULL), thrd_success);
  CHECK_EQ(thrd_join(thread, NULL), thrd_success);
  CHECK(thrd_equal(thrd_current(), thrd_current()));
}

static int released;
static int set_released(void* unused) {
  (void)unused;
  STORE(released, 1);
  return 0;
}

static void detach(void) {
  thrd_t thread;
  CHECK_EQ(thrd_create(&thread, set_released, NULL), thrd_success);
  CHECK_EQ(thrd_detach(thread), thrd_success);
  WAIT_UNTIL(LOAD(released));
}

static mtx_t mutex;
static int try_it(void* unused) {
  (void)unused;
  int result = mtx_trylock(&mutex);
  if (result == thrd_success) mtx_unlock(&mutex);
  return result;
}
static int try_timed(void* unused) {
  (void)unused;
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  return mtx_timedlock(&mutex, &deadline);
}
static int try_timed_badly(void* unused) {
  (void)unused;
  return mtx_timedlock(&mutex, &kBadNsec);
}
static int in_c11_thread(thrd_start_t function) {
  thrd_t thread;
  int result = -1;
  CHECK_EQ(thrd_create(&thread, function, NULL), thrd_success);
  CHECK_EQ(thrd_join(thread, &result), thrd_success);
  return result;
}

static void mutexes(void) {
  static const int types[] = {mtx_plain, mtx_timed, mtx_plain | mtx_recursive, mtx_timed | mtx_recursive};
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(mtx_init(&mutex, types[i]), thrd_success);
    CHECK_EQ(mtx_lock(&mutex), thrd_success);
    CHECK_EQ(in_c11_thread(try_it), thrd_busy);
    CHECK_EQ(in_c11_thread(try_timed), thrd_timedout);
    CHECK_EQ(in_c11_thread(try_timed_badly), thrd_error);
    if (types[i] & mtx_recursive) {
      CHECK_EQ(mtx_lock(&mutex), thrd_success);
      CHECK_EQ(mtx_trylock(&mutex), thrd_success);
      CHECK_EQ(mtx_unlock(&mutex), thrd_success);
      CHECK_EQ(mtx_unlock(&mutex), thrd_success);
    } else {
      CHECK_EQ(mtx_trylock(&mutex), thrd_busy);
    }
    CHECK_EQ(mtx_unlock(&mutex), thrd_success);
    CHECK_EQ(in_c11_thread(try_it), thrd_success);
    mtx_destroy(&mutex);
  }
}

static cnd_t cond;
static int waiting, allowed;
static int wait_for_permit(void* unused) {
  (void)unused;
  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  ADD(waiting, 1);
  while (!allowed) CHECK_EQ(cnd_wait(&cond, &mutex), thrd_success);
  allowed--;
  return mtx_unlock(&mutex);
}

static void conditions(void) {
  thrd_t threads[3];
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  int result = thrd_success;
  CHECK_EQ(mtx_init(&mutex, mtx_plain), thrd_success);
  CHECK_EQ(cnd_init(&cond), thrd_success);
  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  while (result == thrd_success) result = cnd_timedwait(&cond, &mutex, &deadline);
  CHECK_EQ(result, thrd_timedout);
  CHECK_EQ(cnd_timedwait(&cond, &mutex, &kBadNsec), thrd_error);
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  for (int i = 0; i < 3; i++) CHECK_EQ(thrd_create(&threads[i], wait_for_permit, NULL), thrd_success);
  WAIT_UNTIL(LOAD(waiting) == 3);
  CHECK_EQ(mtx_lock(&mutex), thrd_success);
  allowed = 1;
  CHECK_EQ(cnd_signal(&cond), thrd_success);
  allowed = 3;
  CHECK_EQ(cnd_broadcast(&cond), thrd_success);
  CHECK_EQ(mtx_unlock(&mutex), thrd_success);
  for (int i = 0; i < 3; i++) CHECK_EQ(thrd_join(threads[i], NULL), thrd_success);
  CHECK_EQ(allowed, 0);
  cnd_destroy(&cond);
}

static once_flag flag = ONCE_FLAG_INIT;
static int once_runs;
static void once_function(void) { ADD(once_runs, 1); }
static int run_call_once(void* unused) {
  (void)unused;
  call_once(&flag, once_function);
  return LOAD(once_runs);
}

static void call_once_runs_once(void) {
  thrd_t threads[4];
  int result = 0;
  for (int i = 0; i < 4; i++) CHECK_EQ(thrd_create(&threads[i], run_call_once, NULL), thrd_success);
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(thrd_join(threads[i], &result), thrd_success);
    CHECK_EQ(result, 1);
  }
}

static tss_t key;
static int destroyed;
static void destroy_value(void* value) { ADD(destroyed, (int)(intptr_t)value); }
static int use_key(void* unused) {
  (void)unused;
  CHECK(tss_get(key) == NULL);
  CHECK_EQ(tss_set(key, (void*)5), thrd_success);
  CHECK((intptr_t)tss_get(key) == 5);
  return 0;
}

static void thread_specific_storage(void) {
  CHECK_EQ(tss_create(&key, destroy_value), thrd_success);
  CHECK_EQ(in_c11_thread(use_key), 0);
  CHECK_EQ(destroyed, 5);
  tss_delete(key);
}

static void sleep_and_yield(void) {
  struct timespec duration = {0, 20000000}, remaining;
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 20);
  CHECK_EQ(thrd_sleep(&duration, NULL), 0);
  CHECK(is_past(CLOCK_MONOTONIC, &deadline));
  CHECK(thrd_sleep(&kBadNsec, &remaining) < 0);
  thrd_yield();
}

CHECK_MAIN(CASE(create_join_exit), CASE(detach), CASE(mutexes), CASE(conditions), CASE(call_once_runs_once),
           CASE(thread_specific_storage), CASE(sleep_and_yield))
