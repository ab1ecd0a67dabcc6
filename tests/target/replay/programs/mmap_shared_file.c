// A shared mapping of a file inside one process: read() sees what was stored, the mapping what was written.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  char buffer[16] = "";
  write_file("file", "0123456789abcdef");
  int fd = open("file", O_RDWR);
  TEST_EQ(ftruncate(fd, 8192), 0);
  char* p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  TEST(p != MAP_FAILED);
  memcpy(p + 4, "ABCD", 4);
  TEST_EQ(msync(p, 8192, MS_SYNC), 0);
  TEST_EQ(pread(fd, buffer, 10, 0), 10);
  TEST(memcmp(buffer, "0123ABCD89", 10) == 0);
  TEST_EQ(pwrite(fd, "xyz", 3, 5000), 3);
  TEST(memcmp(p + 5000, "xyz", 3) == 0);
  char* again = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096);
  TEST(again[5000 - 4096] == 'x');
  p[4096] = '!';
  TEST_EQ(again[0], '!');
  int second = open("file", O_RDONLY);
  TEST_EQ(pread(second, buffer, 1, 4096), 1);
  TEST_EQ(buffer[0], '!');
  TEST_EQ(munmap(p, 8192), 0);
  p = mmap(NULL, 8192, PROT_READ, MAP_SHARED, second, 0);
  TEST(memcmp(p, "0123ABCD89", 10) == 0 && p[4096] == '!');
  TEST(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, second, 0) == MAP_FAILED && errno == EACCES);
  return passed();
}
