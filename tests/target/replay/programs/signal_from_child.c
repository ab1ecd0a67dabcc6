// Signals that a child sends to its parent, with value and sender.
#include "program.h"

static volatile pid_t sender;
static volatile int value, count;

static void on_signal(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)context;
  sender = info->si_pid;
  value = info->si_value.sival_int;
  count++;
}

int main(void) {
  handle_info(SIGRTMIN + 3, on_signal, SA_RESTART);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    for (int i = 1; i <= 20; i++) {
      union sigval v = {.sival_int = i};
      if (sigqueue(parent, SIGRTMIN + 3, v) != 0) _exit(1);
    }
    _exit(0);
  }
  WAIT_UNTIL(count == 20);
  TEST_EQ(sender, pid);
  TEST_EQ(value, 20);
  TEST_EQ(wait_for(pid), 0);
  printf("from %d\n", pid);
  return passed();
}
