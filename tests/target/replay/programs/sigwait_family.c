// sigwait, sigwaitinfo and sigtimedwait, in a thread that does nothing else.
#include "program.h"

static sigset_t set;
static int taken;

static void* signal_thread(void* unused) {
  for (;;) {
    int signo = 0;
    TEST_EQ(sigwait(&set, &signo), 0);
    if (signo == SIGTERM) return unused;
    TEST_EQ(signo, SIGUSR1);
    ADD(taken, 1);
  }
}

int main(void) {
  siginfo_t info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  TEST_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  kill(getpid(), SIGUSR1);
  TEST_EQ(sigwaitinfo(&set, &info), SIGUSR1);
  TEST_EQ(info.si_pid, getpid());
  struct timespec t = {0, 20000000};
  int64_t before = now_ms();
  TEST_ERRNO(sigtimedwait(&set, &info, &t), EAGAIN);
  TEST(now_ms() - before >= 19);
  pthread_t thread = start(signal_thread, NULL);
  for (int i = 1; i <= 10; i++) {
    TEST_EQ(kill(getpid(), SIGUSR1), 0);
    WAIT_UNTIL(LOAD(taken) == i);
  }
  pid_t child = fork();
  if (child == 0) _exit(kill(getppid(), SIGUSR1));
  WAIT_UNTIL(LOAD(taken) == 11);
  TEST_EQ(wait_for(child), 0);
  TEST_EQ(pthread_kill(thread, SIGTERM), 0);
  join(thread);
  return passed();
}
