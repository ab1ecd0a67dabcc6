// splice, tee and vmsplice move bytes between pipes, files and memory.
#include <sys/uio.h>

#include "program.h"

int main(void) {
  int one[2], two[2];
  char buffer[64] = "";
  TEST_EQ(pipe(one), 0);
  TEST_EQ(pipe(two), 0);
  write_file("file", "abcdefghij");
  int fd = open("file", O_RDWR);
  loff_t offset = 2;
  TEST_EQ(splice(fd, &offset, one[1], NULL, 4, 0), 4);
  TEST_EQ(offset, 6);
  TEST_EQ(tee(one[0], two[1], 100, 0), 4);
  TEST_EQ(read(two[0], buffer, sizeof buffer), 4);
  TEST_EQ(read(one[0], buffer + 4, sizeof buffer - 4), 4);
  TEST(memcmp(buffer, "cdefcdef", 8) == 0);
  struct iovec parts[2] = {{(void*)"from ", 5}, {(void*)"memory", 6}};
  TEST_EQ(vmsplice(one[1], parts, 2, 0), 11);
  TEST_EQ(splice(one[0], NULL, two[1], NULL, 5, SPLICE_F_MOVE), 5);
  TEST_EQ(read(two[0], buffer, sizeof buffer), 5);
  offset = 10;
  TEST_EQ(splice(one[0], NULL, fd, &offset, 100, 0), 6);
  TEST_EQ(pread(fd, buffer, sizeof buffer, 0), 16);
  TEST(memcmp(buffer + 8, "ijmemory", 8) == 0);
  TEST_ERRNO(splice(one[0], NULL, two[1], NULL, 5, SPLICE_F_NONBLOCK), EAGAIN);
  TEST_EQ(write(one[1], "z", 1), 1);
  struct iovec in = {buffer, 1};
  TEST_EQ(vmsplice(one[0], &in, 1, 0), 1);
  TEST_EQ(buffer[0], 'z');
  return passed();
}
