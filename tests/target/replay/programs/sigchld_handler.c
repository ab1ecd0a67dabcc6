// Children that end while the parent works: SIGCHLD, a handler that collects them, SA_NOCLDWAIT.
#include "program.h"

static volatile int ended, sum;

static void on_child(int signo, siginfo_t* info, void* context) {
  (void)context;
  TEST_EQ(signo, SIGCHLD);
  TEST_EQ(info->si_code, CLD_EXITED);
  int saved = errno, status;
  while (waitpid(-1, &status, WNOHANG) > 0) {
    sum += WEXITSTATUS(status);
    ended++;
  }
  errno = saved;
}

int main(void) {
  handle_info(SIGCHLD, on_child, SA_RESTART | SA_NOCLDSTOP);
  for (int i = 1; i <= 8; i++) {
    pid_t pid = fork();
    if (pid == 0) _exit(i);
    TEST(pid > 0);
  }
  WAIT_UNTIL(ended == 8);
  TEST_EQ(sum, 36);
  TEST_ERRNO(wait(NULL), ECHILD);
  handle(SIGCHLD, SIG_IGN, 0);
  for (int i = 0; i < 3; i++) {
    pid_t pid = fork();
    if (pid == 0) _exit(9);
  }
  TEST_ERRNO(wait(NULL), ECHILD);  // waits for all, and has nothing to collect
  return passed();
}
