// Queued real-time signals are taken lowest number first, and in the order of sending within a number.
#include "program.h"

int main(void) {
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set);
  for (int i = 0; i < 3; i++) sigaddset(&set, SIGRTMIN + i);
  TEST_EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
  for (int value = 0; value < 5; value++) {
    for (int i = 2; i >= 0; i--) {
      union sigval v = {.sival_int = value};
      TEST_EQ(sigqueue(getpid(), SIGRTMIN + i, v), 0);
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int value = 0; value < 5; value++) {
      TEST_EQ(sigwaitinfo(&set, &info), SIGRTMIN + i);
      TEST_EQ(info.si_value.sival_int, value);
      TEST_EQ(info.si_code, SI_QUEUE);
    }
  }
  struct timespec none = {0, 0};
  TEST_ERRNO(sigtimedwait(&set, &info, &none), EAGAIN);
  return passed();
}
