// Process groups and sessions, of the program and of children.
#include "program.h"

int main(void) {
  TEST(getpgrp() == getpid() || setpgid(0, 0) == 0);
  TEST_ERRNO(setsid(), EPERM);  // a leader of a group may not
  pid_t pid = fork();
  if (pid == 0) {
    pid_t session = setsid();
    _exit(session == getpid() && getsid(0) == session && getpgrp() == session ? 0 : 1);
  }
  TEST_EQ(wait_for(pid), 0);
  int fds[2];
  TEST_EQ(pipe(fds), 0);
  pid = fork();
  if (pid == 0) {
    char c;
    close(fds[1]);
    _exit((int)read(fds[0], &c, 1));
  }
  TEST_EQ(setpgid(pid, pid), 0);
  TEST_EQ(getpgid(pid), pid);
  TEST_EQ(getsid(pid), getsid(0));
  close(fds[1]);
  TEST_EQ(wait_for(pid), 0);
  TEST_ERRNO(getpgid(pid), ESRCH);
  printf("session %d\n", getsid(0));
  return passed();
}
