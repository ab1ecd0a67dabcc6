// Anonymous memory: private, shared, at a fixed place, far too large, populated; mistakes.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  long page = sysconf(_SC_PAGESIZE);
  char* p = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TEST(p != MAP_FAILED);
  for (long i = 0; i < 8 * page; i++) TEST_EQ(p[i], 0);
  char* fixed = mmap(p + page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  TEST(fixed == p + page);
  TEST(mmap(p, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED);
  TEST_EQ(errno, EEXIST);
  char* shared = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  TEST(shared != MAP_FAILED);
  shared[100] = 5;
  TEST_EQ(munmap(p, 8 * page), 0);
  size_t large = (size_t)64 << 30;
  char* reserved = mmap(NULL, large, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TEST(reserved != MAP_FAILED);
  TEST_EQ(mprotect(reserved + (large / 2), page, PROT_READ | PROT_WRITE), 0);
  reserved[large / 2] = 1;
  TEST_EQ(munmap(reserved, large), 0);
  TEST(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
  TEST(mmap(NULL, page, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
  TEST_ERRNO(munmap((void*)1, 5), EINVAL);
  printf("at %p and %p\n", (void*)shared, (void*)&page);
  return passed();
}
