// sigsuspend and the masks of pselect, ppoll and epoll_pwait: the signal comes inside the wait, never before.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "program.h"

static volatile int came;
static void on_signal(int signo) {
  (void)signo;
  came++;
}

static void send_from_child(void) {
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    sleep_ms(3);
    _exit(kill(parent, SIGUSR1) != 0);
  }
  TEST(pid > 0);
}

int main(void) {
  sigset_t block, open_mask, now;
  struct pollfd p = {-1, 0, 0};
  struct epoll_event e;
  handle(SIGUSR1, on_signal, 0);
  sigemptyset(&block);
  sigaddset(&block, SIGUSR1);
  TEST_EQ(sigprocmask(SIG_BLOCK, &block, &open_mask), 0);
  int epoll = epoll_create1(0);
  for (int i = 0; i < 4; i++) {
    send_from_child();
    if (i % 2) WAIT_UNTIL(sigpending(&now) == 0 && sigismember(&now, SIGUSR1));  // pending before the wait begins
    TEST_EQ(came, i);
    if (i == 0) TEST_ERRNO(sigsuspend(&open_mask), EINTR);
    if (i == 1) TEST_ERRNO(pselect(0, NULL, NULL, NULL, NULL, &open_mask), EINTR);
    if (i == 2) TEST_ERRNO(ppoll(&p, 1, NULL, &open_mask), EINTR);
    if (i == 3) TEST_ERRNO(epoll_pwait(epoll, &e, 1, -1, &open_mask), EINTR);
    TEST_EQ(came, i + 1);
    TEST_EQ(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    TEST(sigismember(&now, SIGUSR1));
    TEST(wait(NULL) > 0);
  }
  return passed();
}
