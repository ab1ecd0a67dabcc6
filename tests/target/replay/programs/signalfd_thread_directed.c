// A signal sent to one thread is seen by that thread's read of a signalfd, and by no other thread's.
#include <sys/signalfd.h>

#include "program.h"

static int fd, ready;

static void* receiver(void* unused) {
  struct signalfd_siginfo info;
  STORE(ready, 1);
  TEST_EQ(read(fd, &info, sizeof info), sizeof info);
  TEST_EQ(info.ssi_signo, SIGUSR1);
  TEST_EQ(info.ssi_code, SI_TKILL);
  return unused;
}

int main(void) {
  sigset_t set;
  struct signalfd_siginfo info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  TEST_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  fd = signalfd(-1, &set, 0);
  TEST_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
  TEST_EQ(read(fd, &info, sizeof info), sizeof info);
  TEST_EQ(info.ssi_signo, SIGUSR1);
  pthread_t other = start(receiver, NULL);
  WAIT_UNTIL(LOAD(ready));
  TEST_EQ(pthread_kill(other, SIGUSR1), 0);
  join(other);
  return passed();
}
