// Signals to a process group: the program leads one, with a child in it.
#include "program.h"

static volatile int came;
static void on_signal(int signo) { came = signo; }

int main(void) {
  char c;
  int ready[2];
  TEST_EQ(pipe(ready), 0);
  TEST(getpgrp() == getpid() || setpgid(0, 0) == 0);
  TEST_EQ(getpgid(0), getpid());
  handle(SIGUSR1, on_signal, 0);
  pid_t pid = fork();
  if (pid == 0) {
    if (getpgrp() != getppid() || write(ready[1], "r", 1) != 1) _exit(1);
    while (!came) sleep_ms(1);
    _exit(7);
  }
  read_all(ready[0], &c, 1);
  TEST_EQ(kill(0, SIGUSR1), 0);
  WAIT_UNTIL(came);
  TEST_EQ(WEXITSTATUS(wait_for(pid)), 7);
  came = 0;
  TEST_EQ(killpg(getpgrp(), SIGUSR1), 0);
  WAIT_UNTIL(came);
  return passed();
}
