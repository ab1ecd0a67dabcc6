// POSIX shared memory inside one process: two views of the same pages.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/xb-program-%d", getpid());
  int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  TEST(fd >= 0);
  TEST_ERRNO(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
  TEST_EQ(ftruncate(fd, 8192), 0);
  char* a = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char* b = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096);
  TEST(a != MAP_FAILED && b != MAP_FAILED);
  TEST_EQ(shm_unlink(name), 0);
  strcpy(a + 4096, "seen through both");
  TEST(strcmp(b, "seen through both") == 0);
  char buffer[8];
  TEST_EQ(pread(fd, buffer, 4, 4096), 4);
  TEST(memcmp(buffer, "seen", 4) == 0);
  TEST_EQ(pwrite(fd, "SEEN", 4, 4096), 4);
  TEST(strncmp(b, "SEEN through", 12) == 0);
  TEST_EQ(munmap(a, 8192), 0);
  TEST_EQ(b[0], 'S');
  return passed();
}
