// Limits: reading, lowering, and what happens when one is reached.
#include <sys/resource.h>

#include "program.h"

static volatile int came;
static void on_size(int signo) { came = signo; }

int main(void) {
  struct rlimit limit, old;
  int fds[64], n = 0;
  TEST_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  limit = old;
  limit.rlim_cur = 20;
  TEST_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  while (n < 64 && (fds[n] = dup(0)) >= 0) n++;
  TEST_EQ(errno, EMFILE);
  TEST_EQ(fds[n - 1], 19);
  while (n > 0) close(fds[--n]);
  TEST_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
  handle(SIGXFSZ, on_size, 0);
  limit.rlim_cur = 100;
  limit.rlim_max = RLIM_INFINITY;
  TEST_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  limit.rlim_max = old.rlim_max;
  TEST_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  char block[150];
  memset(block, 'x', sizeof block);
  int fd = open("file", O_RDWR | O_CREAT, 0600);
  TEST_EQ(write(fd, block, sizeof block), 100);
  TEST_ERRNO(write(fd, block, 1), EFBIG);
  TEST_EQ(came, SIGXFSZ);
  TEST_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  TEST_EQ(prlimit(0, RLIMIT_CORE, NULL, &limit), 0);
  TEST_EQ(getrlimit(RLIMIT_STACK, &limit), 0);
  printf("stack limit %lu\n", (unsigned long)limit.rlim_cur);
  TEST_ERRNO(getrlimit(999, &limit), EINVAL);
  return passed();
}
