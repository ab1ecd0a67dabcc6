// The same with one thread and signals from a timer: EINTR without SA_RESTART, going on with it.
#include <poll.h>
#include <sys/time.h>

#include "program.h"

static volatile int ticks;
static int fds[2];

static void on_alarm(int signo) {
  (void)signo;
  ticks++;
  if (ticks == 10) TEST_EQ(write(fds[1], "x", 1), 1);
}

int main(void) {
  char c;
  struct itimerval often = {{0, 5000}, {0, 5000}}, off = {{0, 0}, {0, 0}};
  TEST_EQ(pipe(fds), 0);
  handle(SIGALRM, on_alarm, 0);
  TEST_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
  TEST_ERRNO(read(fds[0], &c, 1), EINTR);
  struct timespec t = {20, 0};
  TEST_ERRNO(nanosleep(&t, &t), EINTR);
  TEST(t.tv_sec == 19);
  struct pollfd p = {fds[0], POLLIN, 0};
  TEST_ERRNO(poll(&p, 1, -1), EINTR);
  TEST_ERRNO(pause(), EINTR);
  handle(SIGALRM, on_alarm, SA_RESTART);
  TEST_EQ(read(fds[0], &c, 1), 1);
  TEST(ticks >= 10);
  TEST_EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
  printf("%s\n", ticks == 10 ? "ten ticks" : "more ticks");
  return passed();
}
