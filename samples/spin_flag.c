/* spin_flag - a thread spins on an atomic flag, without yielding, until another has set it.
 *
 * Wrong:       nothing. But whoever runs one thread at a time must notice that the spinning one cannot go on alone.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int published;
static int message;

static void* spin_and_read(void* unused) {
  (void)unused;
  while (!atomic_load_explicit(&published, memory_order_acquire)) {
  }
  assert(message == 42);
  return NULL;
}

static void* publish(void* unused) {
  (void)unused;
  message = 42;
  atomic_store_explicit(&published, 1, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t reader, writer;
  pthread_create(&reader, NULL, spin_and_read, NULL);
  pthread_create(&writer, NULL, publish, NULL);
  pthread_join(reader, NULL);
  pthread_join(writer, NULL);
  printf("message %d\n", message);
  return 0;
}
