// Flags of descriptors and of open files, owners.
#include "program.h"

int main(void) {
  int fds[2];
  int fd = open("file", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  TEST_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
  TEST_EQ(fcntl(fd, F_SETFD, 0), 0);
  TEST_EQ(fcntl(fd, F_GETFD), 0);
  TEST_EQ(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND), O_RDWR | O_APPEND);
  TEST_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
  TEST_EQ(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK), O_RDWR | O_NONBLOCK);
  TEST_ERRNO(fcntl(99, F_GETFD), EBADF);
  TEST_ERRNO(fcntl(fd, 9999), EINVAL);
  TEST_EQ(pipe(fds), 0);
  TEST_EQ(fcntl(fds[0], F_SETOWN, getpid()), 0);
  TEST_EQ(fcntl(fds[0], F_GETOWN), getpid());
  struct f_owner_ex owner = {F_OWNER_PID, 0};
  TEST_EQ(fcntl(fds[0], F_GETOWN_EX, &owner), 0);
  TEST_EQ(owner.pid, getpid());
  TEST_EQ(fcntl(fds[0], F_SETSIG, SIGUSR1), 0);
  TEST_EQ(fcntl(fds[0], F_GETSIG), SIGUSR1);
  return passed();
}
