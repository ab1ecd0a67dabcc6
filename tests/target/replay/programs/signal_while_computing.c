// A signal ends a loop that makes no system call at all.
#include "program.h"

static volatile sig_atomic_t stop;
static void on_alarm(int signo) { stop = signo; }

int main(void) {
  handle(SIGALRM, on_alarm, 0);
  alarm(1);
  volatile unsigned long turns = 0;
  while (!stop) turns++;
  TEST_EQ(stop, SIGALRM);
  printf("turns %lu\n", (unsigned long)turns);
  return passed();
}
