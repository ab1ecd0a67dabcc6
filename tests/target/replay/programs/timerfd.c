// timerfd: once, periodically, at a moment; read, poll, gettime, cancelled; in a thread of its own.
#include <poll.h>
#include <sys/timerfd.h>

#include "program.h"

static void* ticker(void* argument) {
  uint64_t ticks, sum = 0;
  int fd = *(int*)argument;
  while (sum < 5) {
    TEST_EQ(read(fd, &ticks, sizeof ticks), sizeof ticks);
    sum += ticks;
  }
  return NULL;
}

int main(void) {
  uint64_t ticks;
  struct itimerspec once = {{0, 0}, {0, 20000000}}, often = {{0, 5000000}, {0, 5000000}}, off = {{0, 0}, {0, 0}},
                    left;
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  TEST(fd >= 0);
  int64_t before = now_ms();
  TEST_EQ(timerfd_settime(fd, 0, &once, NULL), 0);
  TEST_EQ(timerfd_gettime(fd, &left), 0);
  TEST(left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 20000000);
  TEST_EQ(read(fd, &ticks, sizeof ticks), sizeof ticks);
  TEST_EQ(ticks, 1);
  TEST(now_ms() - before >= 19);
  struct itimerspec moment = {{0, 0}, {0, 0}};
  clock_gettime(CLOCK_MONOTONIC, &moment.it_value);
  TEST_EQ(timerfd_settime(fd, TFD_TIMER_ABSTIME, &moment, NULL), 0);
  struct pollfd p = {fd, POLLIN, 0};
  TEST_EQ(poll(&p, 1, -1), 1);
  TEST_EQ(timerfd_settime(fd, 0, &often, &left), 0);
  int64_t start_ms = now_ms();
  join(start(ticker, &fd));
  TEST(now_ms() - start_ms >= 24);
  TEST_EQ(timerfd_settime(fd, 0, &off, NULL), 0);
  TEST_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
  TEST_ERRNO(read(fd, &ticks, sizeof ticks), EAGAIN);
  printf("took %ld ms\n", (long)(now_ms() - before));
  return passed();
}
