/* dead_owner - a thread ends while it holds a lock that another waits for.
 *
 * Wrong:       submit returns early when the service is closed, and forgets to unlock.
 * Shown by:    the service is closed before submit runs; main then waits for the lock of a thread that is gone.
 *              Started in order submit is first, and all is well.
 * Preemptions: 0 (the closing thread is chosen when main waits)
 * Fix:         unlock on the early way out too.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t service_lock = PTHREAD_MUTEX_INITIALIZER;
static bool closed;
static int submitted;

static void* submit(void* unused) {
  (void)unused;
  pthread_mutex_lock(&service_lock);
  if (closed) {
#ifdef FIXED
    pthread_mutex_unlock(&service_lock);
#endif
    return NULL;
  }
  submitted++;
  pthread_mutex_unlock(&service_lock);
  return NULL;
}

static void* close_service(void* unused) {
  (void)unused;
  pthread_mutex_lock(&service_lock);
  closed = true;
  pthread_mutex_unlock(&service_lock);
  return NULL;
}

int main(void) {
  pthread_t client, closer;
  pthread_create(&client, NULL, submit, NULL);
  pthread_create(&closer, NULL, close_service, NULL);
  pthread_join(client, NULL);
  pthread_join(closer, NULL);
  pthread_mutex_lock(&service_lock);
  bool was_closed = closed;
  pthread_mutex_unlock(&service_lock);
  printf("closed %d\n", was_closed);
  return 0;
}
