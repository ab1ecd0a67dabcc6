// Leaving handlers by siglongjmp: the mask comes back, blocked calls are abandoned.
#include <setjmp.h>

#include "program.h"

static sigjmp_buf back;
static void on_alarm(int signo) { siglongjmp(back, signo); }

int main(void) {
  int fds[2];
  char c;
  volatile int rounds = 0;
  sigset_t now;
  TEST_EQ(pipe(fds), 0);
  handle(SIGALRM, on_alarm, 0);
  struct itimerspec soon = {{0, 0}, {0, 5000000}};
  timer_t timer;
  TEST_EQ(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
  for (rounds = 0; rounds < 5; rounds++) {
    if (sigsetjmp(back, 1) == 0) {
      TEST_EQ(timer_settime(timer, 0, &soon, NULL), 0);
      TEST(read(fds[0], &c, 1) == 1 || !"read returned");
    }
    TEST_EQ(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    TEST(!sigismember(&now, SIGALRM));
  }
  TEST_EQ(rounds, 5);
  return passed();
}
