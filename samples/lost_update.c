/* lost_update - two threads increment a plain counter without a lock.
 *
 * Wrong:       `counter = value + 1` is a read and a write, and the other thread may come in between.
 * Shown by:    one thread reads, the other reads and writes, the first writes: one increment is gone.
 * Preemptions: 1, between two plain memory accesses (of one machine instruction, where the compiler merges them)
 * Fix:         a mutex around the read and the write.
 * Needs memory-access switch points: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* increment(void* unused) {
  (void)unused;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  int value = counter;
  counter = value + 1;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, increment, NULL);
  pthread_create(&second, NULL, increment, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  pthread_mutex_destroy(&lock);
  assert(counter == 2);
  printf("counter %d\n", counter);
  return 0;
}
