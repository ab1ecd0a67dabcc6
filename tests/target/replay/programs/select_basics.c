// select and pselect: sets, timeouts and what is left of them.
#include <sys/select.h>

#include "program.h"

int main(void) {
  int fds[2];
  fd_set in, out;
  TEST_EQ(pipe(fds), 0);
  struct timeval t = {0, 20000};
  int64_t before = now_ms();
  FD_ZERO(&in);
  FD_SET(fds[0], &in);
  TEST_EQ(select(fds[1] + 1, &in, NULL, NULL, &t), 0);
  TEST(!FD_ISSET(fds[0], &in));
  TEST(now_ms() - before >= 19);
  TEST(t.tv_sec == 0 && t.tv_usec == 0);
  TEST_EQ(write(fds[1], "x", 1), 1);
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(fds[0], &in);
  FD_SET(fds[1], &out);
  TEST_EQ(select(fds[1] + 1, &in, &out, NULL, NULL), 2);
  TEST(FD_ISSET(fds[0], &in) && FD_ISSET(fds[1], &out));
  struct timespec none = {0, 0};
  FD_ZERO(&out);
  TEST_EQ(pselect(fds[1] + 1, &in, &out, NULL, &none, NULL), 1);
  close(fds[1]);
  FD_SET(fds[1], &out);
  TEST_ERRNO(select(fds[1] + 1, NULL, &out, NULL, NULL), EBADF);
  TEST_ERRNO(select(-1, NULL, NULL, NULL, NULL), EINVAL);
  t.tv_usec = 1000;
  TEST_EQ(select(0, NULL, NULL, NULL, &t), 0);
  return passed();
}
