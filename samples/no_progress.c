/* no_progress - a thread spins on a flag that nobody is going to set.
 *
 * Wrong:       the starter sets the flag only if the worker has announced itself before; the worker spins anyway.
 * Shown by:    the starter runs before the worker has announced itself. Started in order the worker is first.
 * Preemptions: 0 (the starter is chosen when main waits)
 * Fix:         the starter sets the flag, announced or not.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool announced;
static atomic_bool go;

static void* work(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  announced = true;
  pthread_mutex_unlock(&lock);
  while (!atomic_load(&go)) {
  }
  return NULL;
}

static void* start(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
#ifdef FIXED
  atomic_store(&go, true);
#else
  if (announced) atomic_store(&go, true);
#endif
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t worker, starter;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&starter, NULL, start, NULL);
  pthread_join(worker, NULL);
  pthread_join(starter, NULL);
  printf("announced %d\n", announced);
  return 0;
}
