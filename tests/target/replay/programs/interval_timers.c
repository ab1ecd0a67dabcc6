// setitimer: real time while sleeping, virtual and profiling time while computing.
#include <sys/time.h>

#include "program.h"

static volatile int real, virtual_ticks, profiling;
static void on_timer(int signo) {
  real += signo == SIGALRM;
  virtual_ticks += signo == SIGVTALRM;
  profiling += signo == SIGPROF;
}

int main(void) {
  struct itimerval ten = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}}, now;
  handle(SIGALRM, on_timer, SA_RESTART);
  handle(SIGVTALRM, on_timer, SA_RESTART);
  handle(SIGPROF, on_timer, SA_RESTART);
  TEST_EQ(setitimer(ITIMER_REAL, &ten, NULL), 0);
  WAIT_UNTIL(real >= 3);
  TEST_EQ(getitimer(ITIMER_REAL, &now), 0);
  TEST(now.it_interval.tv_usec == 10000 && now.it_value.tv_usec <= 10000);
  TEST_EQ(setitimer(ITIMER_REAL, &off, &now), 0);
  TEST_EQ(setitimer(ITIMER_VIRTUAL, &ten, NULL), 0);
  TEST_EQ(setitimer(ITIMER_PROF, &ten, NULL), 0);
  volatile unsigned long work = 0;
  while (virtual_ticks < 2 || profiling < 2) {
    for (int i = 0; i < 100000; i++) work = work * 3 + 1;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
  }
  TEST_EQ(setitimer(ITIMER_VIRTUAL, &off, NULL), 0);
  TEST_EQ(setitimer(ITIMER_PROF, &off, NULL), 0);
  return passed();
}
