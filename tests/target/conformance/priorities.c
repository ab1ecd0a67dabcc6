// Scheduling policies and priorities of threads: get, set, inherit, errors.
#include <sched.h>

#include "check.h"

static int stop;
static void* run_until_stopped(void* unused) {
  while (!LOAD(stop)) sleep_ms(1);
  return unused;
}

static void ranges(void) {
  CHECK(sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO) >= 31);
  CHECK(sched_get_priority_max(SCHED_RR) - sched_get_priority_min(SCHED_RR) >= 31);
  CHECK_EQ(sched_get_priority_max(SCHED_OTHER), 0);
  CHECK_ERRNO(sched_get_priority_max(42), EINVAL);
  CHECK_ERRNO(sched_get_priority_min(42), EINVAL);
}

static void the_default_policy(void) {
  struct sched_param param;
  int policy = -1;
  CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &param));
  CHECK_EQ(policy, SCHED_OTHER);
  CHECK_EQ(param.sched_priority, 0);
  STORE(stop, 0);
  pthread_t thread = start(run_until_stopped, NULL);
  CHECK_OK(pthread_getschedparam(thread, &policy, &param));
  CHECK_EQ(policy, SCHED_OTHER);
  CHECK_OK(pthread_setschedparam(thread, SCHED_OTHER, &param));
  CHECK_OK(pthread_setschedprio(thread, 0));
  STORE(stop, 1);
  join(thread);
}

static void errors(void) {
  struct sched_param param = {.sched_priority = 0}, high = {.sched_priority = 1000};
  CHECK_EQ(pthread_setschedparam(pthread_self(), 42, &param), EINVAL);
  CHECK_EQ(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param), EINVAL);
  CHECK_EQ(pthread_setschedparam(pthread_self(), SCHED_FIFO, &high), EINVAL);
  CHECK_EQ(pthread_setschedprio(pthread_self(), 5), EINVAL);  // SCHED_OTHER knows 0 only
  CHECK_EQ(pthread_setschedprio(pthread_self(), -1), EINVAL);
}

static void changing_another_thread(void) {
  struct sched_param param = {.sched_priority = 2};
  int policy = -1;
  STORE(stop, 0);
  pthread_t thread = start(run_until_stopped, NULL);
  int error = pthread_setschedparam(thread, SCHED_RR, &param);
  CHECK(error == 0 || error == EPERM);
  if (error == 0) {
    param.sched_priority = 0;
    CHECK_OK(pthread_getschedparam(thread, &policy, &param));
    CHECK_EQ(policy, SCHED_RR);
    CHECK_EQ(param.sched_priority, 2);
    CHECK_OK(pthread_setschedprio(thread, 3));
    CHECK_OK(pthread_getschedparam(thread, &policy, &param));
    CHECK_EQ(param.sched_priority, 3);
    CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &param));
    CHECK_EQ(policy, SCHED_OTHER);  // ours is as it was
  } else {
    printf("changing_another_thread: real-time policies are not permitted here, most of it is skipped\n");
  }
  STORE(stop, 1);
  join(thread);
}

static void* report_policy(void* unused) {
  struct sched_param param;
  int policy = -1;
  (void)unused;
  CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &param));
  return (void*)(intptr_t)(policy * 100 + param.sched_priority);
}

static void explicit_attributes(void) {
  struct sched_param param = {.sched_priority = 4};
  pthread_attr_t attr;
  pthread_t thread;
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
  CHECK_OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
  CHECK_OK(pthread_attr_setschedparam(&attr, &param));
  int error = pthread_create(&thread, &attr, report_policy, NULL);
  CHECK(error == 0 || error == EPERM);
  if (error == 0) CHECK_EQ((intptr_t)join(thread), SCHED_FIFO * 100 + 4);
  // With PTHREAD_INHERIT_SCHED the same attributes do not count.
  CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED));
  CHECK_OK(pthread_create(&thread, &attr, report_policy, NULL));
  CHECK_EQ((intptr_t)join(thread), SCHED_OTHER * 100);
}

static void* become_fifo_and_create(void* unused) {
  struct sched_param param = {.sched_priority = 1};
  (void)unused;
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0) return (void*)-1;
  return in_thread(report_policy, NULL);
}

static void a_new_thread_inherits(void) {
  intptr_t result = (intptr_t)in_thread(become_fifo_and_create, NULL);
  CHECK(result == -1 || result == SCHED_FIFO * 100 + 1);
}

static int flag;
static pthread_mutex_t flag_lock = PTHREAD_MUTEX_INITIALIZER;

static void* raise_flag(void* unused) {
  struct sched_param param = {.sched_priority = 1};
  CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param));
  CHECK_OK(pthread_mutex_lock(&flag_lock));
  flag = 1;
  CHECK_OK(pthread_mutex_unlock(&flag_lock));
  return unused;
}

// There is another processor for the other thread; with only one, the kernel leaves ordinary threads a share.
static void* poll_for_flag(void* unused) {
  struct sched_param param = {.sched_priority = 50};
  int seen = 0;
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0) return unused;
  flag = 0;
  pthread_t thread = start(raise_flag, NULL);
  while (!seen) {
    CHECK_OK(pthread_mutex_lock(&flag_lock));
    seen = flag;
    CHECK_OK(pthread_mutex_unlock(&flag_lock));
  }
  join(thread);
  return unused;
}

static void a_thread_of_high_priority_polls(void) { in_thread(poll_for_flag, NULL); }

static void* fork_with_fifo(void* unused) {
  struct sched_param param = {.sched_priority = 7};
  int status = -1;
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0) return unused;
  pid_t child = fork();
  if (child == 0) {
    param.sched_priority = 0;
    _exit(sched_getscheduler(0) == SCHED_FIFO && sched_getparam(0, &param) == 0 && param.sched_priority == 7 ? 0 : 1);
  }
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  return unused;
}

static void a_forked_child_inherits(void) { in_thread(fork_with_fifo, NULL); }

CHECK_MAIN(CASE(ranges), CASE(the_default_policy), CASE(errors), CASE(changing_another_thread),
           CASE(explicit_attributes), CASE(a_new_thread_inherits), CASE(a_thread_of_high_priority_polls),
           CASE(a_forked_child_inherits))
