/* cancel_cleanup - a thread is cancelled while it waits for a condition, and its cleanup handler unlocks.
 *
 * Wrong:       nothing. Wherever the cancellation finds the thread, the mutex is free afterwards.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;
static int cleanups;

static void unlock_and_count(void* unused) {
  (void)unused;
  cleanups++; /* the cancelled wait has taken the mutex again */
  pthread_mutex_unlock(&lock);
}

static void* wait_for_ever(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock_and_count, NULL);
  for (;;) pthread_cond_wait(&never_signalled, &lock);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_for_ever, NULL);
  pthread_cancel(waiter);
  void* result = NULL;
  pthread_join(waiter, &result);
  assert(result == PTHREAD_CANCELED);
  int error = pthread_mutex_trylock(&lock);
  assert(error == 0);
  assert(cleanups == 1);
  pthread_mutex_unlock(&lock);
  printf("cleanups %d\n", cleanups);
  return 0;
}
