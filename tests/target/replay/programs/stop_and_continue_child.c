// A child is stopped and continued, and its parent is told about both.
#include "program.h"

int main(void) {
  int status;
  siginfo_t info;
  pid_t pid = fork();
  if (pid == 0)
    for (;;) pause();
  TEST_EQ(kill(pid, SIGSTOP), 0);
  TEST_EQ(waitpid(pid, &status, WUNTRACED), pid);
  TEST(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  TEST_EQ(kill(pid, SIGCONT), 0);
  TEST_EQ(waitpid(pid, &status, WCONTINUED), pid);
  TEST(WIFCONTINUED(status));
  TEST_EQ(kill(pid, SIGTSTP), 0);
  TEST_EQ(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED), 0);
  printf("child %d code %d\n", info.si_pid, info.si_code);
  TEST_EQ(kill(pid, SIGKILL), 0);
  if (info.si_code == CLD_STOPPED) TEST_EQ(WTERMSIG(wait_for(pid)), SIGKILL);
  return passed();
}
