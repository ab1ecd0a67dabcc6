/* deadlock - two threads take two locks in opposite orders.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figure 4.6.)
 *
 * Wrong:       the first takes a then b, the second b then a.
 * Shown by:    the first holds a, the second takes b: each wants what the other holds.
 * Preemptions: 1 (the first thread between its two locks)
 * Blocks:      3 per thread: the inner unlock, the outer unlock, the end.
 * Paths:       ExitBlock-DD: 19 (3 undone), the cycle reported 3 times. RWDD: 5 (1), the cycle on the third.
 * Fix:         both take a first.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

struct order {
  pthread_mutex_t *outer, *inner;
};

static struct order first = {&a, &b};
#ifdef FIXED
static struct order second = {&a, &b};
#else
static struct order second = {&b, &a};
#endif

static void* take_both(void* argument) {
  const struct order* order = argument;
  pthread_mutex_lock(order->outer);
  pthread_mutex_lock(order->inner);
  pthread_mutex_unlock(order->inner);
  pthread_mutex_unlock(order->outer);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, take_both, &first);
  pthread_create(&thread, NULL, take_both, &second);
  pthread_exit(NULL);
}
