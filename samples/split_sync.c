/* split_sync - an increment split into two critical sections.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figure 4.2.)
 *
 * Wrong:       `x` may change between the section that reads it (A) and the one that writes it (B).
 * Shown by:    one thread runs A, the other runs A and B, the first runs B.
 * Preemptions: 1
 * Blocks:      3 per thread: A, B, end.
 * Paths:       ExitBlock-DD: 35, 18 of them failing. RWDD: 9, 4 violate, the first is the third.
 * Fix:         one critical section.
 * Needs memory-access switch points: no
 *
 * In the thesis a violated invariant is noted and the program goes on, and the path counts rest on that: so it is
 * noted here too, and judged when the process ends. split_sync_assert is the same program with an assertion that
 * stops at once (ExitBlock-DD: 29 paths, 12 failing. RWDD, whose paths need not reach the end: 9, 4 failing).
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int violated;

#ifdef STOP_AT_ONCE
#define NOTE_INVARIANT(holds) assert(holds)
#else
#define NOTE_INVARIANT(holds) ((holds) ? (void)0 : (void)(violated = 1))
#endif

static void* increment(void* unused) {
  (void)unused;
  pthread_mutex_lock(&resource); /* A */
  int y = x;
#ifndef FIXED
  pthread_mutex_unlock(&resource);
  pthread_mutex_lock(&resource); /* B */
#endif
  NOTE_INVARIANT(x == y);
  x = y + 1;
  pthread_mutex_unlock(&resource);
  return NULL;
}

/* Runs when the last thread has ended. */
static void judge(void) { assert(!violated && "x changed between the two critical sections"); }

int main(void) {
  pthread_t thread;
  atexit(judge);
  pthread_create(&thread, NULL, increment, NULL);
  pthread_create(&thread, NULL, increment, NULL);
  pthread_exit(NULL);
}
