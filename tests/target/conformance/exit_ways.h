// The ways a process with threads can end, each with the wait status it must have as a shell sees it (128 + signal
// for a death by signal). Each function is called by main and its return value is main's.
#ifndef XBDBG_TESTS_TARGET_CONFORMANCE_EXIT_WAYS_H_
#define XBDBG_TESTS_TARGET_CONFORMANCE_EXIT_WAYS_H_

#include <sys/resource.h>
#include <sys/syscall.h>

#include "check.h"

static void no_core(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}
static void* sleep_for_ever(void* unused) {
  for (;;) sleep_ms(1000);
  return unused;
}
static void* lock_for_ever(void* mutex) {
  pthread_mutex_lock(mutex);
  return NULL;
}
static void* compute_for_ever(void* unused) {
  static volatile unsigned long work;
  for (;;) {
    work++;
    sched_yield();
  }
  return unused;
}
static void* exit_with_5(void* unused) {
  (void)unused;
  exit(5);
}
static void* quick_exit_with_6(void* unused) {
  (void)unused;
  _exit(6);
}
static void* abort_here(void* unused) {
  no_core();
  abort();
  return unused;
}
static void* crash_here(void* unused) {
  no_core();
  *(volatile int*)8 = 1;
  return unused;
}
static void* divide_by_zero(void* unused) {
  volatile int zero = 0, seven = 7;
  no_core();
  printf("%d\n", seven / zero);
  return unused;
}
static void* raise_term(void* unused) {
  raise(SIGTERM);
  return unused;
}
static void* kill_process(void* unused) {
  kill(getpid(), SIGKILL);
  return unused;
}
static void* return_null(void* unused) {
  sleep_ms(10);
  return unused;
}
static pthread_t main_thread;
static void* join_main_then_exit(void* unused) {
  (void)unused;
  void* result = NULL;
  int error = pthread_join(main_thread, &result);
  exit(error == 0 && (intptr_t)result == 3 ? 10 : 11);
}

static int main_returns(void) { return 3; }
static int main_returns_while_others_sleep(void) {
  start(sleep_for_ever, NULL);
  return 4;
}
static int main_returns_while_others_are_blocked(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  start(lock_for_ever, &mutex);
  sleep_ms(5);
  return 4;
}
static int main_returns_while_others_compute(void) {
  start(compute_for_ever, NULL);
  sleep_ms(5);
  return 4;
}
static int a_thread_calls_exit(void) {
  start(exit_with_5, NULL);
  sleep_for_ever(NULL);
  return 1;
}
static int a_thread_calls_exit_while_main_joins(void) {
  pthread_join(start(exit_with_5, NULL), NULL);
  return 1;
}
static int a_thread_calls_quick_exit(void) {
  start(quick_exit_with_6, NULL);
  sleep_for_ever(NULL);
  return 1;
}
static int main_exits_alone(void) { pthread_exit((void*)3); }
static int main_exits_last_thread_returns(void) {
  start(return_null, NULL);
  pthread_exit((void*)3);
}
static int main_exits_then_thread_calls_exit(void) {
  start(exit_with_5, NULL);
  pthread_exit(NULL);
}
static int main_is_joined(void) {
  main_thread = pthread_self();
  start(join_main_then_exit, NULL);
  pthread_exit((void*)3);
}
static int main_is_cancelled(void) {
  pthread_cancel(pthread_self());
  start(return_null, NULL);
  pthread_testcancel();
  return 1;
}
static int a_thread_aborts(void) { return join(start(abort_here, NULL)) != NULL; }
static int a_thread_crashes(void) { return join(start(crash_here, NULL)) != NULL; }
static int a_thread_divides_by_zero(void) { return join(start(divide_by_zero, NULL)) != NULL; }
static int a_thread_raises(void) { return join(start(raise_term, NULL)) != NULL; }
static int a_thread_kills_the_process(void) { return join(start(kill_process, NULL)) != NULL; }
static void set_status_at_exit(void) { _exit(12); }
static int atexit_runs_after_main_exits(void) {
  atexit(set_status_at_exit);
  start(return_null, NULL);
  pthread_exit(NULL);
}
static int the_exit_group_call_of_a_thread(void) {
  syscall(SYS_exit_group, 13);
  return 1;
}

struct ExitWay {
  const char* name;
  int (*run)(void);
  int status;
};
#define WAY(function, status) \
  { #function, function, status }
static const struct ExitWay kExitWays[] = {
    WAY(main_returns, 3),
    WAY(main_returns_while_others_sleep, 4),
    WAY(main_returns_while_others_are_blocked, 4),
    WAY(main_returns_while_others_compute, 4),
    WAY(a_thread_calls_exit, 5),
    WAY(a_thread_calls_exit_while_main_joins, 5),
    WAY(a_thread_calls_quick_exit, 6),
    WAY(main_exits_alone, 0),
    WAY(main_exits_last_thread_returns, 0),
    WAY(main_exits_then_thread_calls_exit, 5),
    WAY(main_is_joined, 10),
    WAY(main_is_cancelled, 0),
    WAY(a_thread_aborts, 128 + SIGABRT),
    WAY(a_thread_crashes, 128 + SIGSEGV),
    WAY(a_thread_divides_by_zero, 128 + SIGFPE),
    WAY(a_thread_raises, 128 + SIGTERM),
    WAY(a_thread_kills_the_process, 128 + SIGKILL),
    WAY(atexit_runs_after_main_exits, 12),
    WAY(the_exit_group_call_of_a_thread, 13),
};

#endif  // XBDBG_TESTS_TARGET_CONFORMANCE_EXIT_WAYS_H_
