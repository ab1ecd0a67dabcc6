/* twostage [N] - N threads (2 unless told): N - 1 writers that update two values under two locks, and one reader.
 *
 * Wrong:       each value is locked, the pair is not: between a writer's two stages they do not fit together.
 * Shown by:    a writer sets the first value; the reader reads both; no writer has reached its second stage.
 * Preemptions: 1 (the first writer, between its stages), however many threads there are
 * Fix:         both stages, and the reader's two reads, under the first lock.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 1000 };

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first_value, second_value;

#ifdef FIXED
static void between_the_stages(void) {}
static void after_the_stages(void) { pthread_mutex_unlock(&first_lock); }
#else
static void between_the_stages(void) { pthread_mutex_unlock(&first_lock); }
static void after_the_stages(void) {}
#endif

static void* write_both(void* unused) {
  (void)unused;
  pthread_mutex_lock(&first_lock);
  first_value = 1;
  between_the_stages();
  pthread_mutex_lock(&second_lock);
  second_value = 2; /* always the first value plus one */
  pthread_mutex_unlock(&second_lock);
  after_the_stages();
  return NULL;
}

static void* read_both(void* unused) {
  (void)unused;
  pthread_mutex_lock(&first_lock);
  int first = first_value;
  between_the_stages();
  pthread_mutex_lock(&second_lock);
  int second = second_value;
  pthread_mutex_unlock(&second_lock);
  after_the_stages();
  assert(first == 0 || second == first + 1);
  return NULL;
}

int main(int argc, char** argv) {
  int thread_count = argc > 1 ? atoi(argv[1]) : 2;
  if (thread_count < 2 || thread_count > kMostThreads) return 2;
  static pthread_t threads[kMostThreads];
  for (int i = 0; i < thread_count; i++)
    pthread_create(&threads[i], NULL, i < thread_count - 1 ? write_both : read_both, NULL);
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  printf("values %d %d\n", first_value, second_value);
  return 0;
}
