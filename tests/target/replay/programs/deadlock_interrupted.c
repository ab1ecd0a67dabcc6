// ends: 130 (SIGINT): two threads deadlock, and a child interrupts the program as Ctrl-C would.
// A third thread waits for input, so that this is not the end by itself.
#include "program.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int held, fds[2];

static void take_both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  ADD(held, 1);
  WAIT_UNTIL(LOAD(held) == 2);
  pthread_mutex_lock(second);
}

static void* other(void* unused) {
  take_both(&b, &a);
  return unused;
}

static void* reads(void* unused) {
  char c;
  return read(fds[0], &c, 1) ? unused : NULL;
}

int main(void) {
  TEST_EQ(pipe(fds), 0);
  start(reads, NULL);
  pid_t parent = getpid();
  puts("into the deadlock");
  if (fork() == 0) {
    sleep_ms(300);
    _exit(kill(parent, SIGINT));
  }
  start(other, NULL);
  take_both(&a, &b);
  return passed();
}
