/* yield_switch [ROUNDS] - two threads that only yield to each other; prints how many switches they saw.
 *
 * Under xbdbg every yield is a switch on one kernel thread and nothing else. Natively it means little: the threads
 * run beside each other. A switch is counted when a thread finds that the other one ran since its last look.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "handoff.h"

static volatile int last;
static volatile long switches; /* not exact where the threads run beside each other */
static long rounds;

static void* keep_yielding(void* number) {
  const int mine = *(const int*)number;
  for (long i = 0; i < rounds; i++) {
    if (last != mine) {
      switches = switches + 1;
      last = mine;
    }
    sched_yield();
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = handoff_rounds(argc, argv);
  int numbers[2] = {0, 1};
  pthread_t thread;
  pthread_create(&thread, NULL, keep_yielding, &numbers[1]);
  keep_yielding(&numbers[0]);
  pthread_join(thread, NULL);
  printf("%ld switches\n", switches);
  return 0;
}
