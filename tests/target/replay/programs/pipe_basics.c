// A pipe: partial reads, end of file, O_NONBLOCK, its size, FIONREAD, EPIPE.
#include <sys/ioctl.h>

#include "program.h"

int main(void) {
  int fds[2], waiting = -1;
  char buffer[64];
  TEST_EQ(pipe2(fds, O_CLOEXEC), 0);
  TEST_EQ(write(fds[1], "abcdef", 6), 6);
  TEST_EQ(ioctl(fds[0], FIONREAD, &waiting), 0);
  TEST_EQ(waiting, 6);
  TEST_EQ(read(fds[0], buffer, 4), 4);
  TEST_EQ(read(fds[0], buffer, sizeof buffer), 2);
  TEST_EQ(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
  TEST_ERRNO(read(fds[0], buffer, 1), EAGAIN);
  TEST_ERRNO(lseek(fds[0], 0, SEEK_CUR), ESPIPE);
  TEST_ERRNO(pread(fds[0], buffer, 1, 0), ESPIPE);
  TEST_EQ(fcntl(fds[1], F_SETPIPE_SZ, 4096), 4096);
  TEST_EQ(fcntl(fds[1], F_GETPIPE_SZ), 4096);
  TEST_EQ(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
  long room = 0;
  for (ssize_t n; (n = write(fds[1], buffer, sizeof buffer)) > 0;) room += n;
  TEST_EQ(errno, EAGAIN);
  TEST_EQ(room, 4096);
  TEST_EQ(close(fds[1]), 0);
  for (ssize_t n; (n = read(fds[0], buffer, sizeof buffer)) > 0;) room -= n;
  TEST_EQ(room, 0);
  TEST_EQ(read(fds[0], buffer, 1), 0);
  TEST_EQ(pipe(fds), 0);
  signal(SIGPIPE, SIG_IGN);
  TEST_EQ(close(fds[0]), 0);
  TEST_ERRNO(write(fds[1], "x", 1), EPIPE);
  return passed();
}
