// epoll: level and edge triggered, one shot, changing and removing, nested, with timeouts.
#include <sys/epoll.h>

#include "program.h"

static int epoll;

static void control(int op, int fd, uint32_t events, int expected) {
  struct epoll_event e = {events, {.fd = fd}};
  TEST_EQ(epoll_ctl(epoll, op, fd, &e) == 0 ? 0 : errno, expected);
}

int main(void) {
  int fds[2];
  char c;
  struct epoll_event e[4];
  TEST_EQ(pipe(fds), 0);
  epoll = epoll_create1(EPOLL_CLOEXEC);
  TEST(epoll >= 0);
  control(EPOLL_CTL_ADD, fds[0], EPOLLIN, 0);
  control(EPOLL_CTL_ADD, fds[0], EPOLLIN, EEXIST);
  TEST_EQ(epoll_wait(epoll, e, 4, 0), 0);
  int64_t before = now_ms();
  TEST_EQ(epoll_wait(epoll, e, 4, 20), 0);
  TEST(now_ms() - before >= 19);
  TEST_EQ(write(fds[1], "ab", 2), 2);
  for (int i = 0; i < 2; i++) {  // level: again and again
    TEST_EQ(epoll_wait(epoll, e, 4, -1), 1);
    TEST(e[0].data.fd == fds[0] && e[0].events == EPOLLIN);
  }
  control(EPOLL_CTL_MOD, fds[0], EPOLLIN | EPOLLET, 0);
  TEST_EQ(epoll_pwait(epoll, e, 4, 0, NULL), 1);
  TEST_EQ(epoll_wait(epoll, e, 4, 0), 0);  // edge: once
  TEST_EQ(write(fds[1], "c", 1), 1);
  TEST_EQ(epoll_wait(epoll, e, 4, 0), 1);
  control(EPOLL_CTL_MOD, fds[0], EPOLLIN | EPOLLONESHOT, 0);
  TEST_EQ(epoll_wait(epoll, e, 4, 0), 1);
  TEST_EQ(epoll_wait(epoll, e, 4, 0), 0);
  control(EPOLL_CTL_MOD, fds[0], EPOLLIN, 0);
  control(EPOLL_CTL_ADD, fds[1], EPOLLOUT, 0);
  TEST_EQ(epoll_wait(epoll, e, 4, 0), 2);
  TEST_EQ(epoll_wait(epoll, e, 1, 0), 1);
  int outer = epoll_create1(0);
  struct epoll_event nested = {EPOLLIN, {.u32 = 77}};
  TEST_EQ(epoll_ctl(outer, EPOLL_CTL_ADD, epoll, &nested), 0);
  TEST_EQ(epoll_wait(outer, e, 4, -1), 1);
  TEST_EQ(e[0].data.u32, 77);
  control(EPOLL_CTL_DEL, fds[1], 0, 0);
  control(EPOLL_CTL_DEL, fds[1], 0, ENOENT);
  close(fds[1]);
  for (int i = 0; i < 3; i++) TEST_EQ(read(fds[0], &c, 1), 1);
  TEST_EQ(epoll_wait(epoll, e, 4, -1), 1);
  TEST_EQ(e[0].events, EPOLLHUP);
  TEST_ERRNO(epoll_wait(epoll, e, 0, 0), EINVAL);
  return passed();
}
