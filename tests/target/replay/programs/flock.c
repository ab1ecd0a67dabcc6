// flock between two open files of one process, in two threads.
#include <sys/file.h>

#include "program.h"

static int step;

static void* second(void* unused) {
  int fd = open("file", O_RDONLY);
  TEST_ERRNO(flock(fd, LOCK_EX | LOCK_NB), EWOULDBLOCK);
  STORE(step, 1);
  TEST_EQ(flock(fd, LOCK_EX), 0);
  TEST_EQ(LOAD(step), 2);
  TEST_EQ(flock(fd, LOCK_UN), 0);
  return unused;
}

int main(void) {
  write_file("file", "x");
  int fd = open("file", O_RDONLY);
  TEST_EQ(flock(fd, LOCK_SH), 0);
  pthread_t other = start(second, NULL);
  WAIT_UNTIL(LOAD(step) == 1);
  STORE(step, 2);
  TEST_EQ(flock(fd, LOCK_UN), 0);
  join(other);
  TEST_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  TEST_ERRNO(flock(fd, 77), EINVAL);
  return passed();
}
