/* pool_shutdown - a thread pool that is declared idle when its queue is empty.
 *
 * Wrong:       the last job has left the queue and is still running when shutdown reads the results.
 * Shown by:    the worker takes the last job; main, told that the queue is empty, goes on before the job is done.
 * Preemptions: 1 (the worker, after it has taken the last job)
 * Fix:         count a job until it is done, not until it is taken.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { kJobs = 2 };

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_changed = PTHREAD_COND_INITIALIZER;
static int queued, unfinished, finished;
static bool stopping;

static void* work(void* unused) {
  (void)unused;
  pthread_mutex_lock(&pool_lock);
  for (;;) {
    while (queued == 0 && !stopping) pthread_cond_wait(&pool_changed, &pool_lock);
    if (queued == 0) break;
    queued--;
    pthread_cond_broadcast(&pool_changed);
    pthread_mutex_unlock(&pool_lock);
    /* the job itself would run here, without the lock */
    pthread_mutex_lock(&pool_lock);
    finished++;
    unfinished--;
    pthread_cond_broadcast(&pool_changed);
  }
  pthread_mutex_unlock(&pool_lock);
  return NULL;
}

static bool is_idle(void) {
#ifdef FIXED
  return unfinished == 0;
#else
  return queued == 0;
#endif
}

int main(void) {
  pthread_t worker;
  queued = unfinished = kJobs;
  pthread_create(&worker, NULL, work, NULL);
  pthread_mutex_lock(&pool_lock);
  while (!is_idle()) pthread_cond_wait(&pool_changed, &pool_lock);
  assert(finished == kJobs);
  stopping = true;
  pthread_cond_broadcast(&pool_changed);
  pthread_mutex_unlock(&pool_lock);
  pthread_join(worker, NULL);
  printf("finished %d\n", finished);
  return 0;
}
