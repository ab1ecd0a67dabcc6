// Two processes that wait for each other's record locks: one of them is told EDEADLK. With a second thread around,
// so that the process cannot simply go to sleep.
#include "program.h"

static int fd, stop[2];

static int lock(int command, short type, off_t from) {
  struct flock l;
  memset(&l, 0, sizeof l);
  l.l_type = type;
  l.l_whence = SEEK_SET;
  l.l_start = from;
  l.l_len = 1;
  return fcntl(fd, command, &l);
}

static void* bystander(void* unused) {
  char c;
  TEST_EQ(read(stop[0], &c, 1), 1);
  return unused;
}

int main(void) {
  int ready[2];
  char c;
  write_file("file", "01");
  fd = open("file", O_RDWR);
  TEST_EQ(pipe(ready), 0);
  TEST_EQ(pipe(stop), 0);
  TEST_EQ(lock(F_SETLK, F_WRLCK, 0), 0);
  pid_t pid = fork();
  if (pid == 0) {
    if (lock(F_SETLK, F_WRLCK, 1) != 0 || write(ready[1], "r", 1) != 1) _exit(99);
    _exit(lock(F_SETLKW, F_WRLCK, 0) == 0 ? 0 : errno == EDEADLK ? 1 : 2);
  }
  read_all(ready[0], &c, 1);
  pthread_t other = start(bystander, NULL);
  int r = lock(F_SETLKW, F_WRLCK, 1), error = errno;
  TEST(r == 0 || error == EDEADLK);
  TEST_EQ(lock(F_SETLK, F_UNLCK, 0), 0);
  int status = wait_for(pid);
  TEST(WIFEXITED(status));
  TEST_EQ(WEXITSTATUS(status), r == 0 ? 1 : 0);  // exactly one of the two
  TEST_EQ(write(stop[1], "s", 1), 1);
  join(other);
  return passed();
}
