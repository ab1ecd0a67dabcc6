/* queue_abandoned - a consumer waits for a producer that has ended.
 *
 * Wrong:       the producer notes that it is done, but does not tell a consumer that already waits.
 * Shown by:    the consumer takes the only item and waits for more; then the producer says "done" to nobody and ends.
 * Preemptions: 1 (the producer, after it has put the item)
 * Fix:         signal when done, too.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_changed = PTHREAD_COND_INITIALIZER;
static int queued, consumed;
static bool producer_done;

static void* produce(void* unused) {
  (void)unused;
  pthread_mutex_lock(&queue_lock);
  queued++;
  pthread_cond_signal(&queue_changed);
  pthread_mutex_unlock(&queue_lock);

  pthread_mutex_lock(&queue_lock);
  producer_done = true;
#ifdef FIXED
  pthread_cond_signal(&queue_changed);
#endif
  pthread_mutex_unlock(&queue_lock);
  return NULL;
}

static void* consume(void* unused) {
  (void)unused;
  pthread_mutex_lock(&queue_lock);
  for (;;) {
    while (queued == 0 && !producer_done) pthread_cond_wait(&queue_changed, &queue_lock);
    if (queued == 0) break;
    queued--;
    consumed++;
  }
  pthread_mutex_unlock(&queue_lock);
  return NULL;
}

int main(void) {
  pthread_t producer, consumer;
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, NULL);
  printf("consumed %d\n", consumed);
  return 0;
}
