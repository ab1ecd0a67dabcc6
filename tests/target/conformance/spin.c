// Spin locks.
#include "check.h"

static pthread_spinlock_t lock;

static void* try_lock(void* unused) {
  (void)unused;
  int error = pthread_spin_trylock(&lock);
  if (error == 0) pthread_spin_unlock(&lock);
  return (void*)(intptr_t)error;
}

static void held_is_busy(void) {
  CHECK_OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  CHECK_OK(pthread_spin_lock(&lock));
  CHECK_EQ(pthread_spin_trylock(&lock), EBUSY);
  CHECK_EQ((intptr_t)in_thread(try_lock, NULL), EBUSY);
  CHECK_OK(pthread_spin_unlock(&lock));
  CHECK_EQ((intptr_t)in_thread(try_lock, NULL), 0);
  CHECK_OK(pthread_spin_trylock(&lock));
  CHECK_OK(pthread_spin_unlock(&lock));
  CHECK_OK(pthread_spin_destroy(&lock));
}

static void process_shared(void) {
  CHECK_OK(pthread_spin_init(&lock, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_spin_lock(&lock));
  CHECK_OK(pthread_spin_unlock(&lock));
  CHECK_OK(pthread_spin_destroy(&lock));
}

static int entered;
static void* lock_it(void* unused) {
  CHECK_OK(pthread_spin_lock(&lock));
  STORE(entered, 1);
  CHECK_OK(pthread_spin_unlock(&lock));
  return unused;
}

static void a_waiting_thread_gets_in_after_unlock(void) {
  CHECK_OK(pthread_spin_init(&lock, 0));
  CHECK_OK(pthread_spin_lock(&lock));
  pthread_t thread = start(lock_it, NULL);
  sleep_ms(10);
  CHECK_EQ(LOAD(entered), 0);
  CHECK_OK(pthread_spin_unlock(&lock));
  join(thread);
  CHECK_EQ(LOAD(entered), 1);
}

static long counter;
static void* increment(void* unused) {
  for (int i = 0; i < 500; i++) {
    CHECK_OK(pthread_spin_lock(&lock));
    counter++;
    CHECK_OK(pthread_spin_unlock(&lock));
  }
  return unused;
}

static void excludes(void) {
  pthread_t threads[3];
  CHECK_OK(pthread_spin_init(&lock, 0));
  for (int i = 0; i < 3; i++) threads[i] = start(increment, NULL);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(counter, 1500);
}

static void* unlock_it(void* unused) {
  CHECK_OK(pthread_spin_unlock(&lock));
  return unused;
}

static void another_thread_may_unlock(void) {
  CHECK_OK(pthread_spin_init(&lock, 0));
  CHECK_OK(pthread_spin_lock(&lock));
  in_thread(unlock_it, NULL);
  CHECK_OK(pthread_spin_trylock(&lock));
}

CHECK_MAIN(CASE(held_is_busy), CASE(process_shared), CASE(a_waiting_thread_gets_in_after_unlock), CASE(excludes),
           CASE(another_thread_may_unlock))
