// Threads in phases: each writes its part of a file, waits at a barrier, reads another's.
#include "program.h"

enum { kThreads = 4, kRounds = 10 };
static pthread_barrier_t barrier;
static int fd, serial;

static void* worker(void* argument) {
  int mine = (int)(long)argument;
  for (int round = 0; round < kRounds; round++) {
    int value = round * 100 + mine;
    TEST_EQ(pwrite(fd, &value, sizeof value, mine * 4), sizeof value);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ADD(serial, 1);
    int next = (mine + 1) % kThreads;
    TEST_EQ(pread(fd, &value, sizeof value, next * 4), sizeof value);
    TEST_EQ(value, round * 100 + next);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  fd = open("file", O_RDWR | O_CREAT, 0600);
  pthread_barrier_init(&barrier, NULL, kThreads);
  for (long i = 0; i < kThreads; i++) threads[i] = start(worker, (void*)i);
  for (int i = 0; i < kThreads; i++) join(threads[i]);
  TEST_EQ(serial, kRounds);
  return passed();
}
