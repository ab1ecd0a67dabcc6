// ends: 139 (SIGSEGV) in one thread while others wait and compute.
#include "program.h"

static int fds[2];
static pthread_barrier_t barrier;

static void* waits(void* unused) {
  char c;
  pthread_barrier_wait(&barrier);
  return read(fds[0], &c, 1) ? unused : NULL;
}

static void* crashes(void* unused) {
  pthread_barrier_wait(&barrier);
  puts("about to crash");
  volatile int* volatile nowhere = (int*)8;
  *nowhere = 1;
  return unused;
}

int main(void) {
  TEST_EQ(pipe(fds), 0);
  pthread_barrier_init(&barrier, NULL, 4);
  start(waits, NULL);
  start(waits, NULL);
  pthread_t t = start(crashes, NULL);
  pthread_barrier_wait(&barrier);
  join(t);
  return passed();
}
