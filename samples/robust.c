/* robust - a thread ends holding a robust mutex; the next owner is told and repairs the state.
 *
 * Wrong:       nothing. The user thread gets EOWNERDEAD if the dying thread came before it, otherwise main does.
 *              (A lock held at a thread's end is no misuse if the mutex is robust.)
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int half_done, repairs;

static void lock_and_repair(void) {
  int error = pthread_mutex_lock(&lock);
  if (error == EOWNERDEAD) {
    half_done = 0;
    repairs++;
    error = pthread_mutex_consistent(&lock);
  }
  assert(error == 0);
  assert(half_done == 0);
}

static void* die_holding_it(void* unused) {
  (void)unused;
  lock_and_repair();
  half_done = 1;
  return NULL;
}

static void* use(void* unused) {
  (void)unused;
  lock_and_repair();
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  pthread_mutexattr_destroy(&attributes);

  pthread_t dying, user;
  pthread_create(&dying, NULL, die_holding_it, NULL);
  pthread_create(&user, NULL, use, NULL);
  pthread_join(dying, NULL);
  pthread_join(user, NULL);
  use(NULL);
  assert(repairs == 1);
  printf("repairs %d\n", repairs);
  return 0;
}
