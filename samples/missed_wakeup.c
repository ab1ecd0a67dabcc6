/* missed_wakeup - the check and the wait are two critical sections.
 *
 * Wrong:       the signal may come after the waiter has seen that it must wait, and before it waits.
 * Shown by:    the waiter checks; the setter sets the flag and signals nobody; the waiter waits for ever.
 * Preemptions: 1 (the waiter, between the check and the wait)
 * Fix:         check in a loop, under the lock that the wait releases.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t became_ready = PTHREAD_COND_INITIALIZER;
static bool ready;

#ifdef FIXED
static void* wait_until_ready(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&became_ready, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}
#else
static void* wait_until_ready(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  bool must_wait = !ready;
  pthread_mutex_unlock(&lock);
  if (must_wait) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&became_ready, &lock);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}
#endif

static void* make_ready(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  ready = true;
  pthread_cond_signal(&became_ready);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t waiter, setter;
  pthread_create(&waiter, NULL, wait_until_ready, NULL);
  pthread_create(&setter, NULL, make_ready, NULL);
  pthread_join(waiter, NULL);
  pthread_join(setter, NULL);
  printf("ready %d\n", ready);
  return 0;
}
