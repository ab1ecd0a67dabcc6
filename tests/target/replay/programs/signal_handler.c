// A handler: when it runs, what siginfo says, one-shot, not deferred, nested, on the masks.
#include "program.h"

static volatile int count, depth, deepest, raised;
static volatile siginfo_t last;

static void on_info(int signo, siginfo_t* info, void* context) {
  TEST(context != NULL);
  TEST_EQ(info->si_signo, signo);
  last = *info;
  count++;
}

static void nested(int signo) {
  sigset_t now;
  depth++;
  if (depth > deepest) deepest = depth;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  if (depth < 3 && raised++ < 10) raise(signo);
  if (signo == SIGUSR2) TEST(sigismember(&now, SIGUSR2) == 1);
  depth--;
}

int main(void) {
  handle_info(SIGUSR1, on_info, 0);
  TEST_EQ(raise(SIGUSR1), 0);
  TEST_EQ(count, 1);
  TEST_EQ(last.si_code, SI_TKILL);
  TEST_EQ(last.si_pid, getpid());
  TEST_EQ(last.si_uid, getuid());
  TEST_EQ(kill(getpid(), SIGUSR1), 0);
  TEST_EQ(count, 2);
  TEST_EQ(last.si_code, SI_USER);
  union sigval value = {.sival_ptr = &value};
  TEST_EQ(sigqueue(getpid(), SIGUSR1, value), 0);
  TEST_EQ(last.si_code, SI_QUEUE);
  TEST(last.si_value.sival_ptr == &value);

  handle(SIGUSR1, nested, SA_NODEFER);
  raise(SIGUSR1);
  TEST_EQ(deepest, 3);
  deepest = 0;
  handle(SIGUSR2, nested, 0);  // blocked while it runs: the second comes after the first
  raise(SIGUSR2);
  TEST_EQ(deepest, 1);

  struct sigaction now;
  handle(SIGUSR1, nested, SA_RESETHAND);
  depth = 5;
  raise(SIGUSR1);
  TEST_EQ(sigaction(SIGUSR1, NULL, &now), 0);
  TEST(now.sa_handler == SIG_DFL);
  TEST_ERRNO(sigaction(SIGKILL, &now, NULL), EINVAL);
  TEST_ERRNO(kill(getpid(), 99), EINVAL);
  TEST_EQ(kill(getpid(), 0), 0);
  return passed();
}
