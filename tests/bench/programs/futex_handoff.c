/* futex_handoff [ROUNDS] - two kernel threads hand a token over and back with raw futexes. Prints "X ns per
 * hand-off".
 *
 * This is the cheapest way for two kernel threads to take turns: one wake and one wait each. It is what a thread
 * switch of the agent is measured against, so it runs natively.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handoff.h"

static atomic_int turn; /* 0: main's, 1: the partner's */
static long rounds;

static void wait_for_turn(int mine) {
  while (atomic_load(&turn) != mine) syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 1 - mine, NULL, NULL, 0);
}

static void hand_over(int mine) {
  atomic_store(&turn, 1 - mine);
  syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void* partner(void* unused) {
  (void)unused;
  for (long i = 0; i < rounds; i++) {
    wait_for_turn(1);
    hand_over(1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = handoff_rounds(argc, argv);
  pthread_t thread;
  pthread_create(&thread, NULL, partner, NULL);
  double start = handoff_now();
  for (long i = 0; i < rounds; i++) {
    hand_over(0);
    wait_for_turn(0);
  }
  handoff_report(handoff_now() - start, rounds);
  pthread_join(thread, NULL);
  return 0;
}
