// readv, writev, preadv, pwritev and their newer forms gather and scatter.
#include <sys/uio.h>

#include "program.h"

int main(void) {
  char a[4], b[6], c[32];
  struct iovec out[3] = {{(void*)"one ", 4}, {(void*)"", 0}, {(void*)"three four", 10}};
  int count = 2000;
  struct iovec in[3] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}};
  int fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  TEST_EQ(writev(fd, out, 3), 14);
  TEST_EQ(lseek(fd, 0, SEEK_SET), 0);
  TEST_EQ(readv(fd, in, 3), 14);
  TEST(memcmp(a, "one ", 4) == 0 && memcmp(b, "three ", 6) == 0 && memcmp(c, "four", 4) == 0);
  TEST_EQ(pwritev(fd, out + 2, 1, 100), 10);
  memset(c, 'x', sizeof c);
  TEST_EQ(preadv(fd, in, 3, 98), 12);
  TEST(a[0] == 0 && a[2] == 't' && memcmp(b, "ree fo", 6) == 0 && c[1] == 'r' && c[2] == 'x');
  TEST_EQ(pwritev2(fd, out, 1, 0, RWF_SYNC), 4);
  TEST_EQ(pwritev2(fd, out, 1, -1, RWF_APPEND), 4);
  TEST_EQ(preadv2(fd, in, 1, 110, 0), 4);
  TEST(memcmp(a, "one ", 4) == 0);
  TEST_EQ(readv(fd, in, 0), 0);
  TEST_ERRNO(readv(fd, in, *(volatile int*)&count), EINVAL);
  printf("size %ld\n", (long)lseek(fd, 0, SEEK_END));
  return passed();
}
