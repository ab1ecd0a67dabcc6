// Thread-specific data: values, destructors and their repetition, limits, deletion.
#include <limits.h>

#include "check.h"

static pthread_key_t key;
static int destroyed, rounds;

static void count_destroy(void* value) { ADD(destroyed, (int)(intptr_t)value); }

static void* set_own_value(void* value) {
  CHECK(pthread_getspecific(key) == NULL);
  CHECK_OK(pthread_setspecific(key, value));
  sched_yield();
  CHECK(pthread_getspecific(key) == value);
  return NULL;
}

static void values_are_per_thread(void) {
  pthread_t threads[4];
  destroyed = 0;
  CHECK_OK(pthread_key_create(&key, count_destroy));
  CHECK_OK(pthread_setspecific(key, (void*)1000));
  for (int i = 0; i < 4; i++) threads[i] = start(set_own_value, (void*)(intptr_t)(i + 1));
  for (int i = 0; i < 4; i++) join(threads[i]);
  CHECK_EQ(destroyed, 10);
  CHECK_EQ((intptr_t)pthread_getspecific(key), 1000);
  CHECK_OK(pthread_key_delete(key));
  CHECK_EQ(destroyed, 10);  // deletion calls no destructor
}

static void* set_null(void* unused) {
  CHECK_OK(pthread_setspecific(key, (void*)1));
  CHECK_OK(pthread_setspecific(key, NULL));
  return unused;
}

static void null_values_are_not_destroyed(void) {
  destroyed = 0;
  CHECK_OK(pthread_key_create(&key, count_destroy));
  in_thread(set_null, NULL);
  CHECK_EQ(destroyed, 0);
  CHECK_OK(pthread_key_delete(key));
}

static void set_again(void* value) {
  ADD(rounds, 1);
  CHECK(pthread_getspecific(key) == NULL);  // cleared before the call
  CHECK_OK(pthread_setspecific(key, value));
}
static void* set_value(void* value) {
  CHECK_OK(pthread_setspecific(key, value));
  return NULL;
}

static void destructors_repeat_a_bounded_number_of_times(void) {
  CHECK_OK(pthread_key_create(&key, set_again));
  in_thread(set_value, &key);
  CHECK_EQ(rounds, PTHREAD_DESTRUCTOR_ITERATIONS);
  CHECK_OK(pthread_key_delete(key));
}

static pthread_key_t second_key;
static void set_second(void* value) { CHECK_OK(pthread_setspecific(second_key, value)); }

static void a_destructor_may_set_another_key(void) {
  destroyed = 0;
  CHECK_OK(pthread_key_create(&second_key, count_destroy));
  CHECK_OK(pthread_key_create(&key, set_second));
  in_thread(set_value, (void*)3);
  CHECK_EQ(destroyed, 3);
  CHECK_OK(pthread_key_delete(key));
  CHECK_OK(pthread_key_delete(second_key));
}

static void invalid_keys(void) {
  CHECK_OK(pthread_key_create(&key, NULL));
  CHECK_OK(pthread_key_delete(key));
  CHECK_EQ(pthread_key_delete(key), EINVAL);
  CHECK_EQ(pthread_setspecific(key, &key), EINVAL);
  CHECK(pthread_getspecific(key) == NULL);
  CHECK_EQ(pthread_setspecific(PTHREAD_KEYS_MAX, &key), EINVAL);
  CHECK_EQ(pthread_key_delete(PTHREAD_KEYS_MAX), EINVAL);
}

static pthread_key_t many[PTHREAD_KEYS_MAX + 1];
static int created;
static void* use_all_keys(void* unused) {
  for (int i = 0; i < created; i++) CHECK_OK(pthread_setspecific(many[i], (void*)1));
  for (int i = 0; i < created; i++) CHECK(pthread_getspecific(many[i]) == (void*)1);
  return unused;
}

static void all_keys_can_be_used(void) {
  destroyed = 0;
  int error = 0;
  while (created <= PTHREAD_KEYS_MAX && (error = pthread_key_create(&many[created], count_destroy)) == 0) created++;
  CHECK_EQ(error, EAGAIN);
  CHECK(created > 900);
  in_thread(use_all_keys, NULL);
  CHECK_EQ(destroyed, created);
  for (int i = 0; i < created; i++) CHECK_OK(pthread_key_delete(many[i]));
}

static void* check_empty(void* unused) {
  CHECK(pthread_getspecific(key) == NULL);
  return unused;
}

static void a_reused_key_starts_empty(void) {
  CHECK_OK(pthread_key_create(&key, NULL));
  CHECK_OK(pthread_setspecific(key, &key));
  CHECK_OK(pthread_key_delete(key));
  CHECK_OK(pthread_key_create(&key, NULL));
  CHECK(pthread_getspecific(key) == NULL);
  in_thread(set_value, &key);
  in_thread(check_empty, NULL);  // also when the stack of the ended thread is used again
  CHECK_OK(pthread_key_delete(key));
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int in_destructor;
static void block_in_destructor(void* value) {
  (void)value;
  STORE(in_destructor, 1);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  STORE(in_destructor, 2);
}

static void a_destructor_may_block_and_join_waits_for_it(void) {
  CHECK_OK(pthread_key_create(&key, block_in_destructor));
  CHECK_OK(pthread_mutex_lock(&mutex));
  pthread_t thread = start(set_value, &key);
  WAIT_UNTIL(LOAD(in_destructor) == 1);
  CHECK_EQ(pthread_tryjoin_np(thread, NULL), EBUSY);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  join(thread);
  CHECK_EQ(in_destructor, 2);
}

static __thread int thread_variable = 17;
static void* use_thread_variable(void* unused) {
  CHECK_EQ(thread_variable, 17);
  thread_variable = 18;
  sched_yield();
  CHECK_EQ(thread_variable, 18);
  return unused;
}

static void thread_variables(void) {
  pthread_t threads[3];
  thread_variable = 19;
  for (int i = 0; i < 3; i++) threads[i] = start(use_thread_variable, NULL);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(thread_variable, 19);
}

CHECK_MAIN(CASE(values_are_per_thread), CASE(null_values_are_not_destroyed),
           CASE(destructors_repeat_a_bounded_number_of_times), CASE(a_destructor_may_set_another_key),
           CASE(invalid_keys), CASE(all_keys_can_be_used), CASE(a_reused_key_starts_empty),
           CASE(a_destructor_may_block_and_join_waits_for_it), CASE(thread_variables))
