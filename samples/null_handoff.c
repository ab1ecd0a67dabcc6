/* null_handoff - a thread uses a pointer that another thread is to set, without waiting for it.
 *
 * Wrong:       the reader takes the lock, so there is no data race, but nothing makes it come second.
 * Shown by:    the reader runs before the writer, and reads through a null pointer: SIGSEGV. Started in order the
 *              writer is first, and all is well.
 * Preemptions: 0 (the reader is chosen when main waits)
 * Fix:         wait until the pointer is set.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t slot_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t slot_set = PTHREAD_COND_INITIALIZER;
static int storage = 42, seen;
static int* volatile slot;

static void* write_slot(void* unused) {
  (void)unused;
  pthread_mutex_lock(&slot_lock);
  slot = &storage;
  pthread_cond_signal(&slot_set);
  pthread_mutex_unlock(&slot_lock);
  return NULL;
}

static void* read_slot(void* unused) {
  (void)unused;
  pthread_mutex_lock(&slot_lock);
#ifdef FIXED
  while (!slot) pthread_cond_wait(&slot_set, &slot_lock);
#endif
  seen = *slot;
  pthread_mutex_unlock(&slot_lock);
  return NULL;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_slot, NULL);
  pthread_create(&reader, NULL, read_slot, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  printf("seen %d\n", seen);
  return 0;
}
