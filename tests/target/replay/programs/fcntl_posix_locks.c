// POSIX record locks against a child process: F_GETLK names it, F_SETLKW waits for it.
#include "program.h"

static struct flock lock_of(short type, off_t from, off_t size) {
  struct flock l;
  memset(&l, 0, sizeof l);
  l.l_type = type;
  l.l_whence = SEEK_SET;
  l.l_start = from;
  l.l_len = size;
  return l;
}

int main(void) {
  int ready[2], go[2];
  char c;
  write_file("file", "0123456789");
  int fd = open("file", O_RDWR);
  struct flock l = lock_of(F_WRLCK, 0, 5);
  TEST_EQ(fcntl(fd, F_SETLK, &l), 0);
  TEST_EQ(pipe(ready), 0);
  TEST_EQ(pipe(go), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct flock mine = lock_of(F_WRLCK, 0, 5);
    if (fcntl(fd, F_SETLK, &mine) == 0) _exit(1);  // the parent has it
    mine = lock_of(F_WRLCK, 5, 5);
    if (fcntl(fd, F_SETLK, &mine) != 0) _exit(2);
    if (write(ready[1], "r", 1) != 1 || read(go[0], &c, 1) != 1) _exit(3);
    sleep_ms(30);
    _exit(0);
  }
  read_all(ready[0], &c, 1);
  l = lock_of(F_RDLCK, 7, 1);
  TEST_EQ(fcntl(fd, F_GETLK, &l), 0);
  TEST_EQ(l.l_type, F_WRLCK);
  TEST_EQ(l.l_pid, pid);
  TEST_EQ(l.l_start, 5);
  l = lock_of(F_RDLCK, 7, 1);
  TEST(fcntl(fd, F_SETLK, &l) == -1 && (errno == EAGAIN || errno == EACCES));
  TEST_EQ(write(go[1], "g", 1), 1);
  TEST_EQ(fcntl(fd, F_SETLKW, &l), 0);
  TEST_EQ(wait_for(pid), 0);
  l = lock_of(F_UNLCK, 0, 0);
  TEST_EQ(fcntl(fd, F_SETLK, &l), 0);
  return passed();
}
