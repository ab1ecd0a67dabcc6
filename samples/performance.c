/* performance K N - K threads lock and unlock N mutexes in turn and touch nothing else.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figure 4.1.)
 *
 * Wrong:    nothing. It measures how many paths a search has to run.
 * Blocks:   N + 1 per thread (each unlock, and the thread's end), and one per create of main.
 * Paths:    ExitBlock-DD, K = 2: C(2N+3, N+1). ExitBlock-RWDD: ((N+2)^K - 1) / (N+1).
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t* locks;
static int lock_count;

static void* take_each_lock(void* unused) {
  (void)unused;
  for (int i = 0; i < lock_count; i++) {
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_unlock(&locks[i]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3 || atoi(argv[1]) < 1 || atoi(argv[2]) < 0) {
    fprintf(stderr, "usage: performance THREADS LOCKS_PER_THREAD\n");
    return 2;
  }
  int thread_count = atoi(argv[1]);
  lock_count = atoi(argv[2]);
  locks = malloc(sizeof *locks * (size_t)(lock_count + 1));
  for (int i = 0; i < lock_count; i++) pthread_mutex_init(&locks[i], NULL);

  for (int i = 0; i < thread_count; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, take_each_lock, NULL);
  }
  pthread_exit(NULL);
}
