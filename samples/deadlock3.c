/* deadlock3 - three threads take two of three locks each, in a circle.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figure 4.8.)
 *
 * Wrong:       the first takes a then b, the second b then c, the third c then a.
 * Shown by:    each thread holds its first lock: nobody can go on.
 * Preemptions: 2 (the first and the second thread, each between its two locks)
 * Blocks:      3 per thread: the inner unlock, the outer unlock, the end.
 * Paths:       ExitBlock-DD: 2,537 (60 undone), the cycle on the 125th. RWDD: 21 (4), the cycle on the 11th.
 * Fix:         every thread takes its locks in alphabetical order: the third takes a then c.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

struct order {
  pthread_mutex_t *outer, *inner;
};

static struct order first = {&a, &b};
static struct order second = {&b, &c};
#ifdef FIXED
static struct order third = {&a, &c};
#else
static struct order third = {&c, &a};
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
  pthread_create(&thread, NULL, take_both, &third);
  pthread_exit(NULL);
}
