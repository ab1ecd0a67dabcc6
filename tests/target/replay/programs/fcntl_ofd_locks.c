// Locks of open file descriptions, between threads: the second waits until the first lets go.
#include "program.h"

static int step;

static int lock(int fd, int command, short type) {
  struct flock l;
  memset(&l, 0, sizeof l);
  l.l_type = type;
  l.l_whence = SEEK_SET;
  return fcntl(fd, command, &l);
}

static void* second(void* unused) {
  int fd = open("file", O_RDWR);
  TEST(lock(fd, F_OFD_SETLK, F_WRLCK) == -1 && errno == EAGAIN);
  STORE(step, 1);
  TEST_EQ(lock(fd, F_OFD_SETLKW, F_WRLCK), 0);
  TEST_EQ(LOAD(step), 2);
  close(fd);
  return unused;
}

int main(void) {
  write_file("file", "x");
  int fd = open("file", O_RDWR);
  TEST_EQ(lock(fd, F_OFD_SETLK, F_WRLCK), 0);
  pthread_t other = start(second, NULL);
  WAIT_UNTIL(LOAD(step) == 1);
  STORE(step, 2);
  TEST_EQ(lock(fd, F_OFD_SETLK, F_UNLCK), 0);
  join(other);
  TEST_EQ(lock(fd, F_OFD_SETLKW, F_RDLCK), 0);
  return passed();
}
