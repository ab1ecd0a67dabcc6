// waitid: looking without collecting, what siginfo says; wait4 and the resources a child used.
#include <sys/resource.h>

#include "program.h"

int main(void) {
  siginfo_t info;
  struct rusage usage;
  int status;
  pid_t pid = fork();
  if (pid == 0) _exit(21);
  memset(&info, 0, sizeof info);
  TEST_EQ(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  TEST(info.si_pid == pid && info.si_code == CLD_EXITED && info.si_status == 21 && info.si_signo == SIGCHLD);
  TEST_EQ(waitid(P_ALL, 0, &info, WEXITED), 0);
  TEST_EQ(info.si_pid, pid);
  TEST_ERRNO(waitid(P_PID, (id_t)pid, &info, WEXITED), ECHILD);
  pid = fork();
  if (pid == 0) {
    volatile unsigned long work = 0;
    for (long i = 0; i < 20000000; i++) work = work * 3 + 1;
    abort();
  }
  TEST_EQ(wait4(pid, &status, 0, &usage), pid);
  TEST(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  TEST(usage.ru_maxrss > 0);
  printf("child used %ld.%06ld s\n", (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
  info.si_pid = 77;
  int fds[2];
  TEST_EQ(pipe(fds), 0);
  pid = fork();
  if (pid == 0) {
    char c;
    close(fds[1]);
    _exit((int)read(fds[0], &c, 1));
  }
  TEST_EQ(waitid(P_ALL, 0, &info, WEXITED | WNOHANG), 0);
  TEST_EQ(info.si_pid, 0);
  close(fds[1]);
  TEST_EQ(wait_for(pid), 0);
  return passed();
}
