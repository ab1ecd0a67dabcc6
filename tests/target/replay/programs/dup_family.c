// dup, dup2, dup3, F_DUPFD: one open file, several descriptors; close_range.
#include "program.h"

int main(void) {
  int fd = open("file", O_RDWR | O_CREAT, 0600), copy = dup(fd);
  TEST(copy > fd);
  TEST_EQ(write(fd, "abc", 3), 3);
  TEST_EQ(lseek(copy, 0, SEEK_CUR), 3);
  TEST_EQ(dup2(fd, 50), 50);
  TEST_EQ(dup2(fd, fd), fd);
  TEST_ERRNO(dup2(49, 51), EBADF);
  TEST_ERRNO(dup3(fd, fd, 0), EINVAL);
  TEST_EQ(dup3(fd, 51, O_CLOEXEC), 51);
  TEST_EQ(fcntl(51, F_GETFD), FD_CLOEXEC);
  TEST_EQ(fcntl(50, F_GETFD), 0);
  TEST_EQ(fcntl(fd, F_DUPFD, 60), 60);
  TEST_EQ(fcntl(fd, F_DUPFD_CLOEXEC, 60), 61);
  TEST_EQ(close(fd), 0);
  TEST_EQ(write(60, "d", 1), 1);
  TEST_EQ(close_range(50, 60, 0), 0);
  TEST_ERRNO(write(60, "d", 1), EBADF);
  TEST_EQ(write(61, "e", 1), 1);
  TEST_EQ(open("file", O_RDONLY), fd);  // the lowest that is free
  int saved = dup(1);
  TEST_EQ(dup2(61, 1), 1);
  puts("into the file");
  fflush(stdout);
  TEST_EQ(dup2(saved, 1), 1);
  TEST_EQ(lseek(fd, 0, SEEK_END), 19);
  return passed();
}
