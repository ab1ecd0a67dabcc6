// signalfd: blocked signals are read, with their sender and value, also by a thread that waits.
#include <poll.h>
#include <sys/signalfd.h>

#include "program.h"

static int fd;

static void* reader(void* unused) {
  struct signalfd_siginfo info;
  TEST_EQ(read(fd, &info, sizeof info), sizeof info);
  TEST_EQ(info.ssi_signo, SIGUSR2);
  return unused;
}

int main(void) {
  sigset_t set;
  struct signalfd_siginfo info[2];
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGRTMIN);
  TEST_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  fd = signalfd(-1, &set, SFD_CLOEXEC);
  TEST(fd >= 0);
  TEST_EQ(kill(getpid(), SIGUSR1), 0);
  struct pollfd p = {fd, POLLIN, 0};
  TEST_EQ(poll(&p, 1, -1), 1);
  TEST_EQ(read(fd, info, sizeof info), sizeof info[0]);
  TEST_EQ(info[0].ssi_signo, SIGUSR1);
  TEST_EQ(info[0].ssi_pid, getpid());
  TEST_EQ(info[0].ssi_code, SI_USER);
  union sigval value = {.sival_int = 99};
  TEST_EQ(sigqueue(getpid(), SIGRTMIN, value), 0);
  value.sival_int = 100;
  TEST_EQ(sigqueue(getpid(), SIGRTMIN, value), 0);
  TEST_EQ(read(fd, info, sizeof info), sizeof info);
  TEST(info[0].ssi_int == 99 && info[1].ssi_int == 100);
  pthread_t other = start(reader, NULL);
  sleep_ms(5);
  TEST_EQ(kill(getpid(), SIGUSR2), 0);
  join(other);
  TEST_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
  TEST_ERRNO(read(fd, info, sizeof info), EAGAIN);
  return passed();
}
