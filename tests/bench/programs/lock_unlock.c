/* lock_unlock [ITERATIONS] - two threads, each locks and unlocks two mutexes ITERATIONS times (12,500,000).
 *
 * One mutex is the thread's own, the other is shared and protects a counter, so that both the uncontended and the
 * contended way are taken: 4 * ITERATIONS lock/unlock pairs in all. Prints the counter; the caller takes the time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static long iterations = 12500000;

static void* lock_and_unlock(void* unused) {
  (void)unused;
  pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
  for (long i = 0; i < iterations; i++) {
    pthread_mutex_lock(&own_lock);
    pthread_mutex_unlock(&own_lock);
    pthread_mutex_lock(&shared_lock);
    counter++;
    pthread_mutex_unlock(&shared_lock);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1) iterations = atol(argv[1]);
  pthread_t first, second;
  pthread_create(&first, NULL, lock_and_unlock, NULL);
  pthread_create(&second, NULL, lock_and_unlock, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  printf("%ld\n", counter);
  return counter == 2 * iterations ? 0 : 1;
}
