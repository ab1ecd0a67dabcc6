// Each thread has an alternate stack of its own.
#include "program.h"

static __thread char stack[32768];
static __thread volatile int here;
static int armed, hits;

static void on_signal(int signo) {
  here = (char*)&signo >= stack && (char*)&signo < stack + sizeof stack;
  ADD(hits, here);
}

static void* thread(void* unused) {
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  TEST_EQ(sigaltstack(&alternate, NULL), 0);
  raise(SIGUSR1);
  TEST(here);
  here = 0;
  ADD(armed, 1);
  WAIT_UNTIL(here);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  handle(SIGUSR1, on_signal, SA_ONSTACK);
  for (int i = 0; i < 4; i++) threads[i] = start(thread, NULL);
  WAIT_UNTIL(LOAD(armed) == 4);
  for (int i = 0; i < 4; i++) TEST_EQ(pthread_kill(threads[i], SIGUSR1), 0);
  for (int i = 0; i < 4; i++) join(threads[i]);
  TEST_EQ(hits, 8);
  return passed();
}
