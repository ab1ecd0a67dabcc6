// pthread_create, pthread_join, pthread_self, pthread_equal and their errors.
#include <fenv.h>

#include "check.h"

static void* return_argument(void* argument) { return argument; }

static void the_result_travels(void) {
  CHECK_EQ((intptr_t)in_thread(return_argument, (void*)123), 123);
  pthread_t thread = start(return_argument, (void*)5);
  CHECK_OK(pthread_join(thread, NULL));
}

static pthread_t seen_self;
static void* store_self(void* unused) {
  seen_self = pthread_self();
  return unused;
}

static void identities(void) {
  pthread_t main_thread = pthread_self();
  pthread_t thread = start(store_self, NULL);
  join(thread);
  CHECK(pthread_equal(thread, seen_self));
  CHECK(!pthread_equal(thread, main_thread));
  CHECK(pthread_equal(main_thread, pthread_self()));
}

static void joining_oneself_is_deadlock(void) { CHECK_EQ(pthread_join(pthread_self(), NULL), EDEADLK); }

static void* wait_for_release(void* flag) {
  while (!__atomic_load_n((int*)flag, __ATOMIC_SEQ_CST)) sleep_ms(1);
  return NULL;
}

static void joining_a_detached_thread_is_invalid(void) {
  pthread_t detached;
  pthread_attr_t attr;
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  static int release;
  CHECK_OK(pthread_create(&detached, &attr, wait_for_release, &release));
  CHECK_EQ(pthread_join(detached, NULL), EINVAL);
  STORE(release, 1);
}

static int order[3], order_length;
static void* append(void* argument) {
  order[__atomic_fetch_add(&order_length, 1, __ATOMIC_SEQ_CST)] = (int)(intptr_t)argument;
  return NULL;
}

static void joins_in_any_order(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = start(append, (void*)(intptr_t)(i + 1));
  for (int i = 2; i >= 0; i--) join(threads[i]);
  CHECK_EQ(order[0] + order[1] + order[2], 6);
}

static void* create_grandchild(void* depth) {
  intptr_t level = (intptr_t)depth;
  if (level == 0) return (void*)1;
  return (void*)((intptr_t)in_thread(create_grandchild, (void*)(level - 1)) + 1);
}

static void nested_creation(void) { CHECK_EQ((intptr_t)in_thread(create_grandchild, (void*)20), 21); }

static pthread_t to_be_joined_by_sibling;
static void* join_sibling(void* unused) {
  (void)unused;
  void* result = NULL;
  CHECK_OK(pthread_join(to_be_joined_by_sibling, &result));
  return result;
}

static void any_thread_may_join(void) {
  to_be_joined_by_sibling = start(return_argument, (void*)9);
  CHECK_EQ((intptr_t)in_thread(join_sibling, NULL), 9);
}

static void* own_errno(void* unused) {
  errno = 0;
  sched_yield();
  CHECK_EQ(errno, 0);
  errno = 77;
  sched_yield();
  CHECK_EQ(errno, 77);
  return unused;
}

static void errno_is_per_thread(void) {
  pthread_t threads[3];
  errno = 55;
  for (int i = 0; i < 3; i++) threads[i] = start(own_errno, NULL);
  int mine = errno;
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(mine, 55);
}

static volatile double one = 1, three = 3;
static void* rounding_is_own(void* mode) {
  // Inherited from the creator; then changed, and kept over switches.
  CHECK_EQ(fegetround(), FE_UPWARD);
  CHECK_OK(fesetround((int)(intptr_t)mode));
  CHECK_OK(feclearexcept(FE_ALL_EXCEPT));
  double expected = one / three;
  for (int i = 0; i < 20; i++) {
    sched_yield();
    CHECK_EQ(fegetround(), (int)(intptr_t)mode);
    CHECK(one / three == expected);
  }
  return NULL;
}

static void the_floating_point_environment_is_per_thread(void) {
  static const int modes[] = {FE_DOWNWARD, FE_TONEAREST, FE_TOWARDZERO};
  pthread_t threads[3];
  CHECK_OK(fesetround(FE_UPWARD));
  for (int i = 0; i < 3; i++) threads[i] = start(rounding_is_own, (void*)(intptr_t)modes[i]);
  sched_yield();
  CHECK_EQ(fegetround(), FE_UPWARD);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(fegetround(), FE_UPWARD);
  CHECK_OK(fesetround(FE_TONEAREST));
}

static void invalid_attributes(void) {
  pthread_t thread;
  pthread_attr_t attr;
  cpu_set_t none;
  CPU_ZERO(&none);
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setaffinity_np(&attr, sizeof none, &none));
  CHECK_EQ(pthread_create(&thread, &attr, return_argument, NULL), EINVAL);
  CHECK_OK(pthread_attr_destroy(&attr));
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setstacksize(&attr, (size_t)1 << 46));
  CHECK_EQ(pthread_create(&thread, &attr, return_argument, NULL), EAGAIN);
  CHECK_OK(pthread_attr_destroy(&attr));
}

CHECK_MAIN(CASE(the_result_travels), CASE(identities), CASE(joining_oneself_is_deadlock),
           CASE(joining_a_detached_thread_is_invalid), CASE(joins_in_any_order), CASE(nested_creation),
           CASE(any_thread_may_join), CASE(errno_is_per_thread), CASE(the_floating_point_environment_is_per_thread),
           CASE(invalid_attributes))
