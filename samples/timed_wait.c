/* timed_wait - a thread polls with a timed condition wait until another is done.
 *
 * Wrong:       nothing. Each wait may time out or be woken, so the number of rounds has no bound.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done_changed = PTHREAD_COND_INITIALIZER;
static bool done;

static struct timespec in_one_millisecond(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_nsec += 1000000;
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_nsec -= 1000000000;
    deadline.tv_sec++;
  }
  return deadline;
}

static void* poll_until_done(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (!done) {
    struct timespec deadline = in_one_millisecond();
    int error = pthread_cond_timedwait(&done_changed, &lock, &deadline);
    assert(error == 0 || error == ETIMEDOUT);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* finish(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  done = true;
  pthread_cond_signal(&done_changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t poller, finisher;
  pthread_create(&poller, NULL, poll_until_done, NULL);
  pthread_create(&finisher, NULL, finish, NULL);
  pthread_join(poller, NULL);
  pthread_join(finisher, NULL);
  printf("done %d\n", done);
  return 0;
}
