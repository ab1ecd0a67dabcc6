/* buffer_if - a bounded buffer whose enqueue tests "full" with an `if`.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figures 4.12 and 4.13.)
 * Two producers of 2 items each, one consumer of 4, capacity 1, one condition variable for the whole buffer.
 *
 * Wrong:       a producer woken from its wait does not look again whether there is room.
 * Shown by:    a producer waits for room, the consumer makes some, the other producer takes it, the first overflows.
 * Preemptions: 0, the first path of a depth-first search
 * What shows:  the assertion; in buffer_if_noassert (the same without it) the items overwritten are missing, and the
 *              consumer waits for ever: condition deadlock, also on the first path.
 * Fix:         `while` instead of `if`.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kSlots = 2 /* one stays free, so capacity 1 */, kItemsProduced = 2 };

static pthread_mutex_t buffer = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t buffer_changed = PTHREAD_COND_INITIALIZER;
static int first, last;
static const char* elements[kSlots];

static void enqueue(const char* item) {
  pthread_mutex_lock(&buffer);
#ifdef FIXED
  while ((last + 1) % kSlots == first) pthread_cond_wait(&buffer_changed, &buffer);
#else
  if ((last + 1) % kSlots == first) pthread_cond_wait(&buffer_changed, &buffer);
#endif
#ifndef WITHOUT_ASSERTION
  assert((last + 1) % kSlots != first && "buffer overflow");
#endif
  elements[last] = item;
  last = (last + 1) % kSlots;
  pthread_cond_broadcast(&buffer_changed);
  pthread_mutex_unlock(&buffer);
}

static const char* dequeue(void) {
  pthread_mutex_lock(&buffer);
  while (first == last) pthread_cond_wait(&buffer_changed, &buffer);
  const char* item = elements[first];
  first = (first + 1) % kSlots;
  pthread_cond_broadcast(&buffer_changed);
  pthread_mutex_unlock(&buffer);
  return item;
}

static void* produce(void* name) {
  for (int i = 0; i < kItemsProduced; i++) enqueue(name);
  return NULL;
}

static void* consume(void* unused) {
  (void)unused;
  for (int i = 0; i < 2 * kItemsProduced; i++) dequeue();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, produce, "P1");
  pthread_create(&thread, NULL, consume, NULL);
  pthread_create(&thread, NULL, produce, "P2");
  pthread_exit(NULL);
}
