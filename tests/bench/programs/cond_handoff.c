/* cond_handoff [ROUNDS] - two threads hand a token over and back with a mutex and a condition variable; prints
 * "X ns per hand-off". The same exchange natively and under xbdbg, where a hand-off is a switch on one kernel thread.
 */
#include <pthread.h>

#include "handoff.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn; /* 0: main's, 1: the partner's */
static long rounds;

static void take_turn_and_hand_over(int mine) {
  pthread_mutex_lock(&lock);
  while (turn != mine) pthread_cond_wait(&turned, &lock);
  turn = 1 - mine;
  pthread_cond_signal(&turned);
  pthread_mutex_unlock(&lock);
}

static void* partner(void* unused) {
  (void)unused;
  for (long i = 0; i < rounds; i++) take_turn_and_hand_over(1);
  return NULL;
}

int main(int argc, char** argv) {
  rounds = handoff_rounds(argc, argv);
  pthread_t thread;
  pthread_create(&thread, NULL, partner, NULL);
  double start = handoff_now();
  for (long i = 0; i < rounds; i++) take_turn_and_hand_over(0);
  pthread_join(thread, NULL); /* the partner's last turn */
  handoff_report(handoff_now() - start, rounds);
  return 0;
}
