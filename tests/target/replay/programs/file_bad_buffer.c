// Calls with addresses that are not mapped fail with EFAULT, and a partly mapped buffer is used as far as it goes.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  long page = sysconf(_SC_PAGESIZE);
  char* two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TEST(two != MAP_FAILED);
  TEST_EQ(munmap(two + page, page), 0);
  char* volatile bad = two + page;
  int fds[2];
  write_file("file", "0123456789");
  int fd = open("file", O_RDONLY);
  TEST_ERRNO(read(fd, bad, 5), EFAULT);
  TEST_EQ(read(fd, bad - 5, 5), 5);
  TEST_EQ(read(fd, bad - 3, 2), 2);
  TEST_EQ(pipe(fds), 0);
  TEST_ERRNO(write(fds[1], bad, 5), EFAULT);
  TEST_ERRNO(pipe((int*)bad), EFAULT);
  TEST_ERRNO(open(bad, O_RDONLY), EFAULT);
  TEST_ERRNO(stat("file", (struct stat*)bad), EFAULT);
  printf("%.5s\n", bad - 5);
  return passed();
}
