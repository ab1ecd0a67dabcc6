// memfd_create: writing, mapping, sealing.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  int fd = memfd_create("name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  TEST(fd >= 0);
  TEST_EQ(write(fd, "content of it", 13), 13);
  char* p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  TEST(p != MAP_FAILED);
  TEST(strcmp(p, "content of it") == 0);
  p[0] = 'C';
  char c;
  TEST_EQ(pread(fd, &c, 1, 0), 1);
  TEST_EQ(c, 'C');
  TEST_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  TEST_EQ(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW);
  TEST_ERRNO(ftruncate(fd, 5), EPERM);
  TEST_EQ(munmap(p, 4096), 0);
  TEST_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
  TEST_ERRNO(write(fd, "x", 1), EPERM);
  p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  TEST(p != MAP_FAILED);
  p[1] = 'O';
  TEST(strcmp(p, "COntent of it") == 0);
  return passed();
}
