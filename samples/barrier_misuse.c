/* barrier_misuse - a worker that finds no work leaves without going to the barrier.
 *
 * Wrong:       the barrier counts two workers, but a worker that gets no item returns early. There is an item for
 *              each of them, until a helper thread takes one too.
 * Shown by:    the helper takes an item before both workers have theirs: one worker leaves, the other waits for ever.
 * Preemptions: 0 (the helper is chosen when main waits)
 * Fix:         every worker goes to the barrier, with or without an item.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t items_lock = PTHREAD_MUTEX_INITIALIZER;
static int items = 2;
static pthread_barrier_t all_done;

static bool take_item(void) {
  pthread_mutex_lock(&items_lock);
  bool taken = items > 0;
  if (taken) items--;
  pthread_mutex_unlock(&items_lock);
  return taken;
}

static void* work(void* unused) {
  (void)unused;
  bool taken = take_item();
#ifdef FIXED
  (void)taken;
#else
  if (!taken) return NULL;
#endif
  pthread_barrier_wait(&all_done);
  return NULL;
}

static void* help(void* unused) {
  (void)unused;
  take_item();
  return NULL;
}

int main(void) {
  pthread_barrier_init(&all_done, NULL, 2);
  pthread_t workers[2], helper;
  pthread_create(&workers[0], NULL, work, NULL);
  pthread_create(&workers[1], NULL, work, NULL);
  pthread_create(&helper, NULL, help, NULL);
  pthread_join(workers[0], NULL);
  pthread_join(workers[1], NULL);
  pthread_join(helper, NULL);
  pthread_barrier_destroy(&all_done);
  printf("items left %d\n", items);
  return 0;
}
