// /dev/null, /dev/zero, /dev/full, /dev/urandom.
#include "program.h"

int main(void) {
  unsigned char buffer[4096];
  int fd = open("/dev/null", O_RDWR);
  TEST_EQ(write(fd, buffer, sizeof buffer), sizeof buffer);
  TEST_EQ(read(fd, buffer, 1), 0);
  fd = open("/dev/zero", O_RDONLY);
  memset(buffer, 1, sizeof buffer);
  TEST_EQ(read(fd, buffer, sizeof buffer), sizeof buffer);
  TEST(buffer[0] == 0 && buffer[4095] == 0);
  fd = open("/dev/full", O_WRONLY);
  TEST_ERRNO(write(fd, "x", 1), ENOSPC);
  fd = open("/dev/urandom", O_RDONLY);
  read_all(fd, buffer, sizeof buffer);
  printf("random %016llx\n", (unsigned long long)hash_of(buffer, sizeof buffer));
  return passed();
}
