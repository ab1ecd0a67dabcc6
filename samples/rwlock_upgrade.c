/* rwlock_upgrade - readers that find a cache empty ask for the write lock while they hold the read lock.
 *
 * Wrong:       a read lock cannot be upgraded: the writer waits until all readers are gone, itself included.
 * Shown by:    a reader comes before the thread that fills the cache. (With both readers in, each also waits for the
 *              other: the classic upgrade deadlock.) Started in order the filler runs first, and all is well.
 * Preemptions: 0 (a reader is chosen when main waits); 1 for two readers that wait for each other
 * Fix:         give the read lock back, take the write lock, look again.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t cache_lock = PTHREAD_RWLOCK_INITIALIZER;
static int cache; /* 0: empty */

static void* fill(void* unused) {
  (void)unused;
  pthread_rwlock_wrlock(&cache_lock);
  if (cache == 0) cache = 7;
  pthread_rwlock_unlock(&cache_lock);
  return NULL;
}

static void* look_up(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&cache_lock);
  if (cache == 0) {
#ifdef FIXED
    pthread_rwlock_unlock(&cache_lock);
    fill(NULL);
    pthread_rwlock_rdlock(&cache_lock);
#else
    fill(NULL);
#endif
  }
  assert(cache == 7);
  pthread_rwlock_unlock(&cache_lock);
  return NULL;
}

int main(void) {
  pthread_t filler, readers[2];
  pthread_create(&filler, NULL, fill, NULL);
  pthread_create(&readers[0], NULL, look_up, NULL);
  pthread_create(&readers[1], NULL, look_up, NULL);
  pthread_join(filler, NULL);
  pthread_join(readers[0], NULL);
  pthread_join(readers[1], NULL);
  printf("cache %d\n", cache);
  return 0;
}
