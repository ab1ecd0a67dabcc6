/* no_eraser - a locking-discipline violation that a run shows only if B comes first.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figure 4.4.)
 *
 * Wrong:       B increments `x` without the lock if it finds it to be 0.
 * Shown by:    B reads `x` before A writes it. A plain run starts A first and shows nothing; and where the
 *              discipline is broken, nothing crashes: only a check of who holds what at each access tells.
 * Preemptions: 0 for the violation (B is chosen when main ends)
 * Blocks:      A: read, increment, end. B: read, then either end (unlocked increment) or increment, end.
 * Paths:       ExitBlock-DD: 23. RWDD: 7.
 * Fix:         B takes the lock, whatever it read.
 * Needs memory-access switch points: yes
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER;
static int x;

static const char a_name = 'A', b_name = 'B';

#ifdef FIXED
static bool skips_the_lock(int y, char name) {
  (void)y, (void)name;
  return false;
}
#else
static bool skips_the_lock(int y, char name) { return y == 0 && name == 'B'; }
#endif

static void* increment(void* name) {
  pthread_mutex_lock(&resource);
  int y = x;
  pthread_mutex_unlock(&resource);
  if (skips_the_lock(y, *(const char*)name)) {
    x++;
  } else {
    pthread_mutex_lock(&resource);
    x++;
    pthread_mutex_unlock(&resource);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, increment, (void*)&a_name);
  pthread_create(&thread, NULL, increment, (void*)&b_name);
  pthread_exit(NULL);
}
