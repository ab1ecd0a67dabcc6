// Readers and a writer of a file under a read-write lock.
#include "program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int fd, stop;

static void* reader(void* unused) {
  int pair[2];
  while (!LOAD(stop)) {
    pthread_rwlock_rdlock(&lock);
    TEST_EQ(pread(fd, pair, sizeof pair, 0), sizeof pair);
    TEST_EQ(pair[1], pair[0] * 2);
    pthread_rwlock_unlock(&lock);
    sleep_ms(1);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  int pair[2] = {0, 0};
  fd = open("file", O_RDWR | O_CREAT, 0600);
  TEST_EQ(write(fd, pair, sizeof pair), sizeof pair);
  for (int i = 0; i < 3; i++) threads[i] = start(reader, NULL);
  for (int i = 1; i < 30; i++) {
    pthread_rwlock_wrlock(&lock);
    pair[0] = i;
    TEST_EQ(pwrite(fd, &pair[0], 4, 0), 4);
    sched_yield();
    pair[1] = 2 * i;
    TEST_EQ(pwrite(fd, &pair[1], 4, 4), 4);
    pthread_rwlock_unlock(&lock);
    sched_yield();
  }
  STORE(stop, 1);
  for (int i = 0; i < 3; i++) join(threads[i]);
  return passed();
}
