/* buffer_notify - a bounded buffer that notifies one waiter where it should notify all.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figures 4.15 and 4.16.)
 * Two producers of 2 items each, one consumer of 4, capacity 1, one condition variable for two conditions.
 *
 * Wrong:       "not full" and "not empty" share a condition variable, so a signal may wake the wrong kind of waiter.
 * Shown by:    a producer's signal wakes the other producer, which finds the buffer full and waits again; the
 *              consumer is never told.
 * Preemptions: 0, the first path of a depth-first search: condition deadlock
 * Fix:         broadcast.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stddef.h>

#ifdef FIXED
#define NOTIFY pthread_cond_broadcast
#else
#define NOTIFY pthread_cond_signal
#endif

enum { kSlots = 2 /* one stays free, so capacity 1 */, kItemsProduced = 2 };

static pthread_mutex_t buffer = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t buffer_changed = PTHREAD_COND_INITIALIZER;
static int first, last;
static const char* elements[kSlots];

static void enqueue(const char* item) {
  pthread_mutex_lock(&buffer);
  while ((last + 1) % kSlots == first) pthread_cond_wait(&buffer_changed, &buffer);
  elements[last] = item;
  last = (last + 1) % kSlots;
  NOTIFY(&buffer_changed);
  pthread_mutex_unlock(&buffer);
}

static const char* dequeue(void) {
  pthread_mutex_lock(&buffer);
  while (first == last) pthread_cond_wait(&buffer_changed, &buffer);
  const char* item = elements[first];
  first = (first + 1) % kSlots;
  NOTIFY(&buffer_changed);
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
  pthread_create(&thread, NULL, produce, "P2");
  pthread_create(&thread, NULL, consume, NULL);
  pthread_exit(NULL);
}
