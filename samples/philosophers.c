/* philosophers [N] - N dining philosophers (3 unless told), each takes the left fork, then the right one.
 *
 * Wrong:       all of them may hold their left fork at once.
 * Shown by:    every philosopher is stopped between the left and the right fork.
 * Preemptions: N - 1
 * Fix:         the last philosopher takes the right fork first.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostPhilosophers = 16 };

static pthread_mutex_t forks[kMostPhilosophers];
static int seats[kMostPhilosophers];
static int meals[kMostPhilosophers];
static int philosopher_count = 3;

static void* dine(void* seat_argument) {
  int seat = *(int*)seat_argument;
  pthread_mutex_t* first = &forks[seat];
  pthread_mutex_t* second = &forks[(seat + 1) % philosopher_count];
#ifdef FIXED
  if (seat == philosopher_count - 1) {
    first = &forks[0];
    second = &forks[seat];
  }
#endif
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  meals[seat]++;
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1) philosopher_count = atoi(argv[1]);
  if (philosopher_count < 2 || philosopher_count > kMostPhilosophers) {
    fprintf(stderr, "usage: philosophers [2..%d]\n", kMostPhilosophers);
    return 2;
  }
  pthread_t threads[kMostPhilosophers];
  for (int i = 0; i < philosopher_count; i++) pthread_mutex_init(&forks[i], NULL);
  for (int i = 0; i < philosopher_count; i++) {
    seats[i] = i;
    pthread_create(&threads[i], NULL, dine, &seats[i]);
  }
  int total = 0;
  for (int i = 0; i < philosopher_count; i++) {
    pthread_join(threads[i], NULL);
    total += meals[i];
  }
  printf("meals %d\n", total);
  return 0;
}
