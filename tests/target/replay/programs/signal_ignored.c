// Ignored signals and those whose default is nothing leave no trace; default actions of a child.
#include "program.h"

static int child_dies_of(int signo) {
  pid_t pid = fork();
  if (pid == 0) {
    signal(signo, SIG_DFL);
    raise(signo);
    _exit(0);
  }
  int status = wait_for(pid);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int main(void) {
  sigset_t pending;
  TEST(signal(SIGUSR1, SIG_IGN) == SIG_DFL);
  TEST_EQ(raise(SIGUSR1), 0);
  TEST_EQ(raise(SIGWINCH), 0);
  TEST_EQ(raise(SIGURG), 0);
  TEST_EQ(raise(SIGCHLD), 0);
  TEST_EQ(kill(getpid(), SIGCONT), 0);
  TEST_EQ(sigpending(&pending), 0);
  TEST(sigisemptyset(&pending));
  TEST(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
  TEST_EQ(child_dies_of(SIGUSR1), SIGUSR1);
  TEST_EQ(child_dies_of(SIGTERM), SIGTERM);
  TEST_EQ(child_dies_of(SIGALRM), SIGALRM);
  TEST_EQ(child_dies_of(SIGRTMAX), SIGRTMAX);
  TEST_EQ(child_dies_of(SIGCHLD), 0);
  return passed();
}
