// A program with one thread raises a blocked signal and reads it from a signalfd.
#include <sys/signalfd.h>

#include "program.h"

int main(void) {
  sigset_t set, pending;
  struct signalfd_siginfo info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  TEST_EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
  int fd = signalfd(-1, &set, 0);
  TEST_EQ(raise(SIGUSR1), 0);
  TEST_EQ(sigpending(&pending), 0);
  TEST(sigismember(&pending, SIGUSR1));
  TEST_EQ(read(fd, &info, sizeof info), sizeof info);
  TEST_EQ(info.ssi_signo, SIGUSR1);
  TEST_EQ(info.ssi_pid, getpid());
  TEST_EQ(sigpending(&pending), 0);
  TEST(!sigismember(&pending, SIGUSR1));
  return passed();
}
