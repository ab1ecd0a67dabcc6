// A grandchild outlives its parent and reports to the grandparent through a pipe, who adopts it.
#include <sys/prctl.h>

#include "program.h"

int main(void) {
  int fds[2], on = 0;
  TEST_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  TEST_EQ(prctl(PR_GET_CHILD_SUBREAPER, &on), 0);
  TEST_EQ(on, 1);
  TEST_EQ(pipe(fds), 0);
  pid_t self = getpid(), pid = fork();
  if (pid == 0) {
    if (fork() == 0) {
      while (getppid() != self) sleep_ms(1);
      pid_t own = getpid();
      _exit(write(fds[1], &own, sizeof own) == sizeof own ? 5 : 6);
    }
    _exit(4);
  }
  TEST_EQ(WEXITSTATUS(wait_for(pid)), 4);
  pid_t orphan;
  read_all(fds[0], &orphan, sizeof orphan);
  TEST_EQ(WEXITSTATUS(wait_for(orphan)), 5);
  TEST_ERRNO(wait(NULL), ECHILD);
  return passed();
}
