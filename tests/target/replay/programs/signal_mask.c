// Blocked signals are pending, come once when unblocked, real-time ones as often as sent and in order.
#include "program.h"

static int order[16];
static volatile int count;
static void note(int signo, siginfo_t* info, void* context) {
  (void)context;
  order[count++] = signo >= SIGRTMIN ? (signo - SIGRTMIN) * 100 + info->si_value.sival_int : -signo;
}

int main(void) {
  sigset_t all, pending, old;
  handle_info(SIGUSR1, note, 0);
  handle_info(SIGRTMIN, note, 0);
  handle_info(SIGRTMIN + 1, note, 0);
  sigfillset(&all);
  TEST_EQ(sigprocmask(SIG_BLOCK, &all, &old), 0);
  for (int i = 1; i <= 3; i++) {
    union sigval value = {.sival_int = i};
    TEST_EQ(sigqueue(getpid(), SIGRTMIN + 1, value), 0);
    TEST_EQ(sigqueue(getpid(), SIGRTMIN, value), 0);
    TEST_EQ(kill(getpid(), SIGUSR1), 0);
  }
  TEST_EQ(sigpending(&pending), 0);
  TEST(sigismember(&pending, SIGUSR1) && sigismember(&pending, SIGRTMIN) && !sigismember(&pending, SIGUSR2));
  TEST_EQ(count, 0);
  TEST_EQ(sigprocmask(SIG_SETMASK, &old, NULL), 0);
  TEST_EQ(count, 7);
  int rest[6], n = 0, standard = 0;
  for (int i = 0; i < 7; i++) {
    if (order[i] < 0)
      standard++;
    else
      rest[n++] = order[i];
  }
  TEST_EQ(standard, 1);
  // Unblocked together they are delivered lowest number first; the handler of the last one delivered runs first.
  TEST_EQ(n, 6);
  int sum = 0;
  for (int i = 0; i < 6; i++) sum += rest[i];
  TEST_EQ(sum, 312);
  for (int i = 0; i < 7; i++) printf("%d ", order[i]);
  printf("\n");
  return passed();
}
