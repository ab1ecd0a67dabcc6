/* reorder - a checker sees one of two writes that belong together.
 *
 * Wrong:       a = 1 and b = -1 are set without a lock, and the checker looks without one.
 * Shown by:    the setter sets a; the checker finds a = 1 and b = 0.
 * Preemptions: 1, between two plain memory accesses
 * Fix:         one lock around the pair, in both threads.
 * Needs memory-access switch points: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t pair_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int a, b; /* volatile, so that the compiler keeps both accesses and their order */

static void enter(void) {
#ifdef FIXED
  pthread_mutex_lock(&pair_lock);
#endif
}

static void leave(void) {
#ifdef FIXED
  pthread_mutex_unlock(&pair_lock);
#endif
}

static void* set_pair(void* unused) {
  (void)unused;
  enter();
  a = 1;
  b = -1;
  leave();
  return NULL;
}

static void* check_pair(void* unused) {
  (void)unused;
  enter();
  int seen_a = a, seen_b = b;
  leave();
  assert(seen_a + seen_b == 0);
  return NULL;
}

int main(void) {
  pthread_t setter, checker;
  pthread_create(&setter, NULL, set_pair, NULL);
  pthread_create(&checker, NULL, check_pair, NULL);
  pthread_join(setter, NULL);
  pthread_join(checker, NULL);
  pthread_mutex_destroy(&pair_lock);
  printf("a %d, b %d\n", a, b);
  return 0;
}
