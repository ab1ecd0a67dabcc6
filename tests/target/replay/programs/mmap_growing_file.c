// A file grows and shrinks while it is mapped: its pages come and go.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  write_file("file", "short");
  int fd = open("file", O_RDWR);
  char* p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  TEST(p != MAP_FAILED);
  TEST_EQ(ftruncate(fd, 3 * 4096), 0);
  p[2 * 4096] = 'x';
  TEST_EQ(p[4096], 0);
  TEST_EQ(ftruncate(fd, 4096), 0);
  TEST_EQ(ftruncate(fd, 3 * 4096), 0);
  TEST_EQ(p[2 * 4096], 0);
  char c = 1;
  TEST_EQ(pread(fd, &c, 1, 2 * 4096), 1);
  TEST_EQ(c, 0);
  return passed();
}
