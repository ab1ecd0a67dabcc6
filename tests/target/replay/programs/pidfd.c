// Descriptors of processes: pidfd_open, poll, waitid(P_PIDFD), pidfd_send_signal; in a thread, too.
#include <poll.h>
#include <sys/syscall.h>

#include "program.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static void* waits(void* argument) {
  siginfo_t info;
  TEST_EQ(waitid((idtype_t)P_PIDFD, (id_t) * (int*)argument, &info, WEXITED), 0);
  TEST_EQ(info.si_code, CLD_KILLED);
  return NULL;
}

int main(void) {
  pid_t pid = fork();
  if (pid == 0)
    for (;;) pause();
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  TEST(fd >= 0);
  struct pollfd p = {fd, POLLIN, 0};
  TEST_EQ(poll(&p, 1, 0), 0);
  pthread_t thread = start(waits, &fd);
  sleep_ms(3);
  TEST_EQ(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0), 0);
  join(thread);
  TEST_EQ(poll(&p, 1, 1000), 1);
  return passed();
}
