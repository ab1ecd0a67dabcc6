// Detached threads: by attribute, by pthread_detach from outside and from inside, and their errors.
#include "check.h"

static int release, ended;
static void* wait_and_end(void* unused) {
  while (!LOAD(release)) sleep_ms(1);
  ADD(ended, 1);
  return unused;
}

static void reset(void) {
  STORE(release, 0);
  STORE(ended, 0);
}

static void detach_while_running(void) {
  reset();
  pthread_t thread = start(wait_and_end, NULL);
  CHECK_OK(pthread_detach(thread));
  CHECK_EQ(pthread_detach(thread), EINVAL);
  CHECK_EQ(pthread_join(thread, NULL), EINVAL);
  CHECK_EQ(pthread_tryjoin_np(thread, NULL), EBUSY);  // glibc looks for the end first
  STORE(release, 1);
  WAIT_UNTIL(LOAD(ended) == 1);
}

static void created_detached(void) {
  pthread_attr_t attr;
  pthread_t thread;
  reset();
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  CHECK_OK(pthread_create(&thread, &attr, wait_and_end, NULL));
  CHECK_EQ(pthread_join(thread, NULL), EINVAL);
  CHECK_EQ(pthread_detach(thread), EINVAL);
  STORE(release, 1);
  WAIT_UNTIL(LOAD(ended) == 1);
}

static void* detach_self(void* unused) {
  CHECK_OK(pthread_detach(pthread_self()));
  return wait_and_end(unused);
}

static void detach_oneself(void) {
  reset();
  start(detach_self, NULL);
  STORE(release, 1);
  WAIT_UNTIL(LOAD(ended) == 1);
}

static void* end_at_once(void* unused) {
  STORE(ended, 1);
  return unused;
}

static void detach_after_the_end(void) {
  reset();
  pthread_t thread = start(end_at_once, NULL);
  WAIT_UNTIL(LOAD(ended) == 1);
  sleep_ms(10);
  CHECK_OK(pthread_detach(thread));
}

static void many_detached_threads(void) {
  reset();
  STORE(release, 1);
  for (int i = 0; i < 200; i++) {
    pthread_t thread = start(wait_and_end, NULL);
    CHECK_OK(pthread_detach(thread));
  }
  WAIT_UNTIL(LOAD(ended) == 200);
}

static pthread_key_t key;
static int destroyed;
static void destroy(void* value) {
  (void)value;
  ADD(destroyed, 1);
}
static void* use_key(void* unused) {
  CHECK_OK(pthread_setspecific(key, &key));
  return unused;
}

static void detached_threads_run_their_destructors(void) {
  CHECK_OK(pthread_key_create(&key, destroy));
  CHECK_OK(pthread_detach(start(use_key, NULL)));
  WAIT_UNTIL(LOAD(destroyed) == 1);
}

CHECK_MAIN(CASE(detach_while_running), CASE(created_detached), CASE(detach_oneself), CASE(detach_after_the_end),
           CASE(many_detached_threads), CASE(detached_threads_run_their_destructors))
