// Children and how they end: status, signals, several ways of waiting.
#include "program.h"

int main(void) {
  int status;
  pid_t pid = fork();
  if (pid == 0) _exit(3);
  TEST_EQ(waitpid(pid, &status, 0), pid);
  TEST(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  TEST_ERRNO(waitpid(pid, &status, 0), ECHILD);
  pid = fork();
  if (pid == 0) {
    raise(SIGKILL);
    _exit(0);
  }
  TEST_EQ(wait(&status), pid);
  TEST(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  pid_t pids[5];
  for (int i = 0; i < 5; i++) {
    pids[i] = fork();
    if (pids[i] == 0) _exit(10 + i);
  }
  for (int i = 4; i >= 0; i--) {
    TEST_EQ(waitpid(pids[i], &status, 0), pids[i]);
    TEST_EQ(WEXITSTATUS(status), 10 + i);
  }
  int fds[2];
  TEST_EQ(pipe(fds), 0);
  pid = fork();
  if (pid == 0) {
    char c;
    close(fds[1]);
    _exit(read(fds[0], &c, 1) == 0 ? 0 : 1);
  }
  TEST_EQ(waitpid(-1, &status, WNOHANG), 0);
  close(fds[1]);
  TEST_EQ(waitpid(0, &status, 0), pid);
  TEST_EQ(status, 0);
  printf("last child %d\n", pid);
  return passed();
}
