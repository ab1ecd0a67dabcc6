// System V semaphores: several operations at once, waiting threads, time limits, values.
#include <sys/sem.h>

#include "program.h"

static int set, turns;

static void* second(void* unused) {
  for (int i = 0; i < 20; i++) {
    struct sembuf take = {1, -1, 0}, give = {0, 1, 0};
    TEST_EQ(semop(set, &take, 1), 0);
    TEST_EQ(turns++ % 2, 1);
    TEST_EQ(semop(set, &give, 1), 0);
  }
  return unused;
}

int main(void) {
  set = semget(IPC_PRIVATE, 3, IPC_CREAT | 0600);
  TEST(set >= 0);
  unsigned short values[3] = {1, 0, 5}, got[3];
  union {
    int value;
    unsigned short* all;
  } argument = {.all = values};
  TEST_EQ(semctl(set, 0, SETALL, argument), 0);
  pthread_t other = start(second, NULL);
  for (int i = 0; i < 20; i++) {
    struct sembuf take = {0, -1, 0}, give = {1, 1, 0};
    TEST_EQ(semop(set, &take, 1), 0);
    TEST_EQ(turns++ % 2, 0);
    TEST_EQ(semop(set, &give, 1), 0);
  }
  join(other);
  struct sembuf both[2] = {{2, -5, 0}, {1, -1, IPC_NOWAIT}};
  TEST_ERRNO(semop(set, both, 2), EAGAIN);
  TEST_EQ(semctl(set, 2, GETVAL), 5);  // all or nothing
  struct timespec limit = {0, 10000000};
  both[1].sem_flg = 0;
  int64_t before = now_ms();
  TEST_ERRNO(semtimedop(set, both, 2, &limit), EAGAIN);
  TEST(now_ms() - before >= 9);
  argument.all = got;
  TEST_EQ(semctl(set, 0, GETALL, argument), 0);
  TEST(got[0] == 1 && got[1] == 0 && got[2] == 5);
  TEST_EQ(semctl(set, 2, GETPID), getpid());
  TEST_EQ(semctl(set, 0, IPC_RMID), 0);
  TEST_ERRNO(semctl(set, 0, GETVAL), EINVAL);
  return passed();
}
