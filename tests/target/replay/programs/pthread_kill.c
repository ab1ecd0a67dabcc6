// A signal for one thread runs its handler in that thread, whatever it is doing.
#include "program.h"

enum { kThreads = 5 };
static __thread int mine = -1;
static int seen[kThreads], ready;
static volatile int finish;

static void on_signal(int signo) {
  (void)signo;
  if (mine >= 0) ADD(seen[mine], 1);
}

static void* thread(void* argument) {
  mine = (int)(long)argument;
  ADD(ready, 1);
  if (mine % 2) {
    while (LOAD(seen[mine]) == 0) pause();
  } else {
    WAIT_UNTIL(LOAD(seen[mine]) == 1);
  }
  WAIT_UNTIL(LOAD(finish));
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  handle(SIGUSR1, on_signal, 0);
  for (long i = 0; i < kThreads; i++) threads[i] = start(thread, (void*)i);
  WAIT_UNTIL(LOAD(ready) == kThreads);
  sleep_ms(5);  // let the ones that pause do so
  for (int i = 0; i < kThreads; i++) TEST_EQ(pthread_kill(threads[i], SIGUSR1), 0);
  for (int i = 0; i < kThreads; i++) WAIT_UNTIL(LOAD(seen[i]) == 1);
  STORE(finish, 1);
  for (int i = 0; i < kThreads; i++) join(threads[i]);
  TEST_EQ(pthread_kill(pthread_self(), 0), 0);
  TEST_EQ(pthread_kill(pthread_self(), 100), EINVAL);
  return passed();
}
