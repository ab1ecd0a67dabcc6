// Many threads: a thousand alive at once, a hundred thousand one after the other.
#include "check.h"

enum { kAlive = 1000, kSequential = 100000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int arrived, released;

static void* arrive_and_wait(void* argument) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  arrived++;
  CHECK_OK(pthread_cond_broadcast(&cond));
  while (!released) CHECK_OK(pthread_cond_wait(&cond, &mutex));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return argument;
}

static void a_thousand_live_threads(void) {
  static pthread_t threads[kAlive];
  pthread_attr_t attr;
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setstacksize(&attr, 128 * 1024));
  for (int i = 0; i < kAlive; i++)
    if (!CHECK_OK(pthread_create(&threads[i], &attr, arrive_and_wait, (void*)(intptr_t)i))) exit(1);
  CHECK_OK(pthread_mutex_lock(&mutex));
  while (arrived < kAlive) CHECK_OK(pthread_cond_wait(&cond, &mutex));
  released = 1;
  CHECK_OK(pthread_cond_broadcast(&cond));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  for (int i = 0; i < kAlive; i++) CHECK_EQ((intptr_t)join(threads[i]), i);
}

static void* add_one(void* value) { return (void*)((intptr_t)value + 1); }

static void a_hundred_thousand_in_sequence(void) {
  void* value = NULL;
  for (int i = 0; i < kSequential; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, add_one, value) != 0 || pthread_join(thread, &value) != 0) {
      CHECK(!"thread created and joined");
      return;
    }
  }
  CHECK_EQ((intptr_t)value, kSequential);
}

static void default_stacks(void) {
  // 200 threads with 8 MiB stacks each: address space, not memory.
  static pthread_t threads[200];
  arrived = released = 0;
  for (int i = 0; i < 200; i++) threads[i] = start(arrive_and_wait, NULL);
  CHECK_OK(pthread_mutex_lock(&mutex));
  while (arrived < 200) CHECK_OK(pthread_cond_wait(&cond, &mutex));
  released = 1;
  CHECK_OK(pthread_cond_broadcast(&cond));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  for (int i = 0; i < 200; i++) join(threads[i]);
}

CHECK_MAIN(CASE(a_thousand_live_threads), CASE(a_hundred_thousand_in_sequence), CASE(default_stacks))
