/* semaphore_buffer - producer and consumer with two counting semaphores and a mutex.
 *
 * Wrong:       nothing. Every schedule delivers all items, in order.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { kCapacity = 2, kItems = 3 };

static sem_t free_slots, used_slots;
static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[kCapacity], put_at, take_at;
static int sum;

static void* produce(void* unused) {
  (void)unused;
  for (int item = 1; item <= kItems; item++) {
    sem_wait(&free_slots);
    pthread_mutex_lock(&buffer_lock);
    buffer[put_at++ % kCapacity] = item;
    pthread_mutex_unlock(&buffer_lock);
    sem_post(&used_slots);
  }
  return NULL;
}

static void* consume(void* unused) {
  (void)unused;
  for (int expected = 1; expected <= kItems; expected++) {
    sem_wait(&used_slots);
    pthread_mutex_lock(&buffer_lock);
    int item = buffer[take_at++ % kCapacity];
    pthread_mutex_unlock(&buffer_lock);
    sem_post(&free_slots);
    assert(item == expected);
    sum += item;
  }
  return NULL;
}

int main(void) {
  sem_init(&free_slots, 0, kCapacity);
  sem_init(&used_slots, 0, 0);
  pthread_t producer, consumer;
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, NULL);
  sem_destroy(&free_slots);
  sem_destroy(&used_slots);
  printf("sum %d\n", sum);
  return 0;
}
