// poll and ppoll: readiness, hang-up, errors, timeouts.
#include <poll.h>

#include "program.h"

int main(void) {
  int fds[2];
  TEST_EQ(pipe(fds), 0);
  struct pollfd p[3] = {{fds[0], POLLIN, 0}, {fds[1], POLLOUT, 0}, {-1, POLLIN, 0}};
  TEST_EQ(poll(p, 3, 0), 1);
  TEST(p[0].revents == 0 && p[1].revents == POLLOUT && p[2].revents == 0);
  int64_t before = now_ms();
  TEST_EQ(poll(p, 1, 30), 0);
  TEST(now_ms() - before >= 29);
  TEST_EQ(poll(NULL, 0, 10), 0);
  TEST_EQ(write(fds[1], "x", 1), 1);
  TEST_EQ(poll(p, 1, -1), 1);
  TEST_EQ(p[0].revents, POLLIN);
  close(fds[1]);
  TEST_EQ(poll(p, 2, -1), 2);
  TEST_EQ(p[0].revents, POLLIN | POLLHUP);
  TEST_EQ(p[1].revents, POLLNVAL);
  struct timespec t = {0, 5000000};
  p[0].fd = -1;
  TEST_EQ(ppoll(p, 1, &t, NULL), 0);
  t.tv_nsec = 2000000000;
  TEST_ERRNO(ppoll(p, 1, &t, NULL), EINVAL);
  return passed();
}
