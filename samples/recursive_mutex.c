/* recursive_mutex - a recursive function that takes a recursive mutex at each level.
 *
 * Wrong:       nothing. Only the outermost unlock lets the other thread in.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { kDepth = 3 };

static pthread_mutex_t tree_lock;
static int visits;

static void visit(int depth) {
  pthread_mutex_lock(&tree_lock);
  int before = visits++;
  if (depth > 1) visit(depth - 1);
  assert(visits == before + depth); /* nobody else came in between */
  pthread_mutex_unlock(&tree_lock);
}

static void* walk(void* unused) {
  (void)unused;
  visit(kDepth);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&tree_lock, &attributes);
  pthread_mutexattr_destroy(&attributes);

  pthread_t first, second;
  pthread_create(&first, NULL, walk, NULL);
  pthread_create(&second, NULL, walk, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  pthread_mutex_destroy(&tree_lock);
  printf("visits %d\n", visits);
  return 0;
}
