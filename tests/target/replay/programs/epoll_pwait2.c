// epoll_pwait2: a timeout in nanoseconds, and only its thread waits.
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "program.h"

static int fds[2], epoll, waits;

static void* waiter(void* unused) {
  struct epoll_event e;
  struct timespec long_time = {20, 0};
  STORE(waits, 1);
  TEST_EQ(syscall(SYS_epoll_pwait2, epoll, &e, 1, &long_time, NULL, 0), 1);
  TEST_EQ(e.data.u64, 42);
  return unused;
}

int main(void) {
  struct epoll_event e = {EPOLLIN, {.u64 = 42}};
  struct timespec t = {0, 3000000};
  TEST_EQ(pipe(fds), 0);
  epoll = epoll_create1(0);
  TEST_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &e), 0);
  int64_t before = now_ms();
  TEST_EQ(syscall(SYS_epoll_pwait2, epoll, &e, 1, &t, NULL, 0), 0);
  TEST(now_ms() - before >= 2);
  pthread_t other = start(waiter, NULL);
  WAIT_UNTIL(LOAD(waits));
  TEST_EQ(write(fds[1], "x", 1), 1);
  join(other);
  return passed();
}
