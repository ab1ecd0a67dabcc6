/* lost_update_atomic - an increment made of a getter and a setter that are each correctly locked.
 *
 * Wrong:       get and set are atomic, what is made of them is not. No access is unprotected: there is no data race.
 * Shown by:    one thread gets, the other gets and sets, the first sets: one increment is gone.
 * Preemptions: 1 (after get has released the lock)
 * Fix:         an operation that reads and writes under one lock.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

#ifdef FIXED
static void add_to_counter(int amount) {
  pthread_mutex_lock(&counter_lock);
  counter += amount;
  pthread_mutex_unlock(&counter_lock);
}
#else
static int get_counter(void) {
  pthread_mutex_lock(&counter_lock);
  int value = counter;
  pthread_mutex_unlock(&counter_lock);
  return value;
}

static void set_counter(int value) {
  pthread_mutex_lock(&counter_lock);
  counter = value;
  pthread_mutex_unlock(&counter_lock);
}

static void add_to_counter(int amount) { set_counter(get_counter() + amount); }
#endif

static void* increment(void* unused) {
  (void)unused;
  add_to_counter(1);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, increment, NULL);
  pthread_create(&second, NULL, increment, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(counter == 2);
  printf("counter %d\n", counter);
  return 0;
}
