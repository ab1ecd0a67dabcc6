// Producers and consumers with condition variables, and output in between.
#include "program.h"

enum { kItems = 200, kRoom = 8 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queue[kRoom], head, tail, consumed, order;

static void* producer(void* argument) {
  for (int i = 0; i < kItems; i++) {
    pthread_mutex_lock(&mutex);
    while (head - tail == kRoom) pthread_cond_wait(&emptied, &mutex);
    queue[head++ % kRoom] = (int)(long)argument * kItems + i;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void* consumer(void* unused) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (head == tail && consumed < 2 * kItems) pthread_cond_wait(&filled, &mutex);
    if (consumed == 2 * kItems) {
      pthread_cond_broadcast(&filled);
      pthread_mutex_unlock(&mutex);
      return unused;
    }
    int item = queue[tail++ % kRoom];
    order = order * 31 + item;
    if (++consumed % 50 == 0) printf("consumed %d, last %d\n", consumed, item);
    pthread_cond_signal(&emptied);
    if (consumed == 2 * kItems) pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  pthread_t threads[5];
  for (long i = 0; i < 2; i++) threads[i] = start(producer, (void*)i);
  for (int i = 2; i < 5; i++) threads[i] = start(consumer, NULL);
  for (int i = 0; i < 5; i++) join(threads[i]);
  printf("order %d\n", order);
  return passed();
}
