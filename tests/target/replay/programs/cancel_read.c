// Threads are cancelled in the middle of read, sleep and a condition wait; cleanup handlers run.
#include "program.h"

static int fds[2], cleaned, ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void cleanup(void* unused) {
  (void)unused;
  ADD(cleaned, 1);
}

static void unlock(void* unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
}

static void* waits(void* argument) {
  char c;
  pthread_cleanup_push(cleanup, NULL);
  ADD(ready, 1);
  switch ((long)argument) {
    case 0:
      (void)!read(fds[0], &c, 1);
      break;
    case 1:
      sleep(1000);
      break;
    default:
      pthread_mutex_lock(&mutex);
      pthread_cleanup_push(unlock, NULL);
      pthread_cond_wait(&cond, &mutex);
      pthread_cleanup_pop(1);
  }
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  TEST_EQ(pipe(fds), 0);
  for (long i = 0; i < 3; i++) threads[i] = start(waits, (void*)i);
  WAIT_UNTIL(LOAD(ready) == 3);
  sleep_ms(5);
  for (int i = 0; i < 3; i++) TEST_EQ(pthread_cancel(threads[i]), 0);
  for (int i = 0; i < 3; i++) TEST(join(threads[i]) == PTHREAD_CANCELED);
  TEST_EQ(cleaned, 3);
  TEST_EQ(pthread_mutex_trylock(&mutex), 0);
  return passed();
}
