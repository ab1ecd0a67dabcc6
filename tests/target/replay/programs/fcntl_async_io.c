// O_ASYNC: a signal when a descriptor becomes readable.
#include "program.h"

static volatile sig_atomic_t came, descriptor = -1;
static void on_io(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)context;
  descriptor = info->si_fd;
  came = 1;
}

int main(void) {
  int fds[2];
  TEST_EQ(pipe(fds), 0);
  handle_info(SIGRTMIN, on_io, 0);
  TEST_EQ(fcntl(fds[0], F_SETOWN, getpid()), 0);
  TEST_EQ(fcntl(fds[0], F_SETSIG, SIGRTMIN), 0);
  TEST_EQ(fcntl(fds[0], F_SETFL, O_ASYNC | O_NONBLOCK), 0);
  TEST_EQ(write(fds[1], "x", 1), 1);
  WAIT_UNTIL(came);
  TEST_EQ(descriptor, fds[0]);
  return passed();
}
