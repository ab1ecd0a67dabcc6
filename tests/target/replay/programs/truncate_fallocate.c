// truncate, fallocate, holes.
#include <linux/falloc.h>

#include "program.h"

int main(void) {
  struct stat s;
  char buffer[8192];
  int fd = open("file", O_RDWR | O_CREAT, 0600);
  TEST_EQ(ftruncate(fd, 10000), 0);
  TEST_EQ(truncate("file", 5000), 0);
  TEST_EQ(fstat(fd, &s), 0);
  TEST_EQ(s.st_size, 5000);
  TEST_ERRNO(ftruncate(fd, -1), EINVAL);
  TEST_EQ(posix_fallocate(fd, 0, 65536), 0);
  TEST_EQ(fallocate(fd, FALLOC_FL_KEEP_SIZE, 65536, 4096), 0);
  TEST_EQ(lseek(fd, 0, SEEK_END), 65536);
  memset(buffer, 'x', sizeof buffer);
  for (int i = 0; i < 8; i++) TEST_EQ(pwrite(fd, buffer, sizeof buffer, i * 8192), 8192);
  TEST_EQ(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 16384, 8192), 0);
  TEST_EQ(pread(fd, buffer, 2, 16384), 2);
  TEST(buffer[0] == 0 && buffer[1] == 0);
  printf("hole at %ld, data at %ld\n", (long)lseek(fd, 0, SEEK_HOLE), (long)lseek(fd, 16384, SEEK_DATA));
  return passed();
}
