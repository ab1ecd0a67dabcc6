// main returns while other threads block in read, in a mutex and in sleep.
#include "program.h"

static int fds[2], ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* reads(void* unused) {
  char c;
  ADD(ready, 1);
  return read(fds[0], &c, 1) ? unused : NULL;
}

static void* locks(void* unused) {
  ADD(ready, 1);
  pthread_mutex_lock(&mutex);
  return unused;
}

static void* sleeps(void* unused) {
  ADD(ready, 1);
  sleep(1000);
  return unused;
}

int main(void) {
  TEST_EQ(pipe(fds), 0);
  pthread_mutex_lock(&mutex);
  start(reads, NULL);
  start(locks, NULL);
  start(sleeps, NULL);
  WAIT_UNTIL(LOAD(ready) == 3);
  sleep_ms(2);
  return passed();
}
