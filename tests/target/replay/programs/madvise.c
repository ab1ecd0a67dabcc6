// madvise, mincore, mlock: what can be asked and told about memory.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  long page = sysconf(_SC_PAGESIZE);
  unsigned char present[4] = {0};
  char* p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p[0] = p[2 * page] = 'x';
  TEST_EQ(mincore(p, 4 * page, present), 0);
  printf("present %d %d %d %d\n", present[0] & 1, present[1] & 1, present[2] & 1, present[3] & 1);
  TEST_EQ(madvise(p, 2 * page, MADV_DONTNEED), 0);
  TEST_EQ(p[0], 0);
  TEST_EQ(p[2 * page], 'x');
  TEST_EQ(madvise(p, page, MADV_SEQUENTIAL), 0);
  TEST_EQ(madvise(p, page, MADV_WILLNEED), 0);
  TEST_EQ(madvise(p, page, MADV_FREE), 0);
  TEST_ERRNO(madvise(p, page, 9999), EINVAL);
  TEST_ERRNO(madvise(p + 1, page, MADV_DONTNEED), EINVAL);
  TEST_EQ(mlock(p, page), 0);
  TEST_EQ(munlock(p, page), 0);
  TEST(mlockall(MCL_CURRENT) == 0 || errno == ENOMEM || errno == EPERM);
  TEST_EQ(munlockall(), 0);
  TEST_EQ(munmap(p, 4 * page), 0);
  TEST_ERRNO(mincore(p, page, present), ENOMEM);
  return passed();
}
