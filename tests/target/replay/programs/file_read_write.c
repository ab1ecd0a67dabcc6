// A file: open flags, write, lseek, read, pread, pwrite, append.
#include "program.h"

int main(void) {
  char buffer[64];
  int fd = open("file", O_RDWR | O_CREAT | O_EXCL, 0600);
  TEST(fd >= 0);
  TEST_ERRNO(open("file", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
  TEST_ERRNO(open("missing", O_RDONLY), ENOENT);
  TEST_EQ(write(fd, "hello, world", 12), 12);
  TEST_EQ(lseek(fd, 0, SEEK_CUR), 12);
  TEST_EQ(read(fd, buffer, sizeof buffer), 0);
  TEST_EQ(lseek(fd, -5, SEEK_END), 7);
  TEST_EQ(read(fd, buffer, sizeof buffer), 5);
  TEST(memcmp(buffer, "world", 5) == 0);
  TEST_EQ(pwrite(fd, "W", 1, 7), 1);
  TEST_EQ(pread(fd, buffer, 3, 6), 3);
  TEST(memcmp(buffer, " Wo", 3) == 0);
  TEST_EQ(lseek(fd, 0, SEEK_CUR), 12);
  TEST_EQ(lseek(fd, 100, SEEK_SET), 100);
  TEST_EQ(write(fd, "end", 3), 3);
  TEST_EQ(pread(fd, buffer, 20, 10), 20);
  TEST(buffer[0] == 'l' && buffer[2] == 0 && buffer[19] == 0);
  TEST_ERRNO(lseek(fd, -1, SEEK_SET), EINVAL);
  TEST_EQ(close(fd), 0);
  TEST_ERRNO(read(fd, buffer, 1), EBADF);

  fd = open("file", O_WRONLY | O_APPEND);
  TEST_EQ(lseek(fd, 0, SEEK_SET), 0);
  TEST_EQ(write(fd, "+", 1), 1);
  TEST_EQ(lseek(fd, 0, SEEK_CUR), 104);
  TEST_ERRNO(read(fd, buffer, 1), EBADF);
  close(fd);
  fd = open("file", O_RDONLY | O_TRUNC);
  TEST_EQ(lseek(fd, 0, SEEK_END), 0);
  printf("descriptor %d\n", fd);
  TEST_EQ(unlink("file"), 0);
  return passed();
}
