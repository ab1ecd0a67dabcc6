// The whole test framework of the conformance programs: they must run unmodified natively and under `xbdbg run`, so
// it needs nothing but libc. It is header-only, and usable from C and from C++.
//
// A program is a list of named cases (CHECK_MAIN). Without arguments all run, in order; with arguments only those
// named. Every CHECK counts; a failed one prints file, line and values and the case goes on. The last line is
// "N checks, N failed" and the exit status is 0 only when none failed.
//
// Cases must hold under any schedule: nothing may depend on another thread having got somewhere because time passed.
#ifndef XBDBG_TESTS_TARGET_CONFORMANCE_CHECK_H_
#define XBDBG_TESTS_TARGET_CONFORMANCE_CHECK_H_

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct CheckCase {
  const char* name;
  void (*run)(void);
};

static int check_total;
static int check_failed;

__attribute__((unused)) static int check_true(int ok, const char* text, const char* file, int line) {
  __atomic_fetch_add(&check_total, 1, __ATOMIC_RELAXED);
  if (!ok) {
    __atomic_fetch_add(&check_failed, 1, __ATOMIC_RELAXED);
    printf("%s:%d: failed: %s\n", file, line, text);
    fflush(stdout);
  }
  return ok;
}

__attribute__((unused)) static int check_equal(long actual, long expected, const char* text, const char* file,
                                               int line) {
  char message[512];
  if (actual == expected) return check_true(1, text, file, line);
  snprintf(message, sizeof message, "%s is %ld, expected %ld", text, actual, expected);
  return check_true(0, message, file, line);
}

#define CHECK(condition) check_true((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_EQ(actual, expected) check_equal((long)(actual), (long)(expected), #actual, __FILE__, __LINE__)
// For functions that return 0 or an error number.
#define CHECK_OK(call) check_equal((long)(call), 0, #call, __FILE__, __LINE__)
// For functions that return -1 and set errno.
#define CHECK_ERRNO(call, expected)                                      \
  do {                                                                   \
    errno = 0;                                                           \
    CHECK_EQ(call, -1);                                                  \
    check_equal(errno, expected, "errno of " #call, __FILE__, __LINE__); \
  } while (0)

#define CASE(function) \
  { #function, function }
#define CHECK_MAIN(...)                                                   \
  int main(int argc, char** argv) {                                       \
    static const struct CheckCase cases[] = {__VA_ARGS__};                \
    return check_main(argc, argv, cases, sizeof cases / sizeof cases[0]); \
  }

__attribute__((unused)) static int check_main(int argc, char** argv, const struct CheckCase* cases, size_t count) {
  int wanted = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < count; i++) {
    int selected = argc < 2;
    for (int a = 1; a < argc; a++) selected |= strcmp(argv[a], cases[i].name) == 0;
    if (!selected) continue;
    wanted++;
    int failed_before = check_failed;
    cases[i].run();
    if (check_failed != failed_before) printf("case %s failed\n", cases[i].name);
  }
  if (wanted == 0) {
    for (size_t i = 0; i < count; i++) fprintf(stderr, "%s\n", cases[i].name);
    return 2;
  }
  printf("%d checks, %d failed\n", check_total, check_failed);
  return check_failed != 0;
}

// ---- small helpers that most cases need ----

__attribute__((unused)) static struct timespec time_after_ms(clockid_t clock, long ms) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += ms / 1000;
  t.tv_nsec += ms % 1000 * 1000000L;
  if (t.tv_nsec >= 1000000000L) {
    t.tv_sec++;
    t.tv_nsec -= 1000000000L;
  }
  if (t.tv_nsec < 0) {
    t.tv_sec--;
    t.tv_nsec += 1000000000L;
  }
  return t;
}

// A deadline that is always in the past, and one that is malformed.
__attribute__((unused)) static const struct timespec kPast = {1, 0};
__attribute__((unused)) static const struct timespec kBadNsec = {1, 1000000000L};
__attribute__((unused)) static const struct timespec kNegativeNsec = {1, -1};

__attribute__((unused)) static int is_past(clockid_t clock, const struct timespec* t) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

__attribute__((unused)) static void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  while (nanosleep(&t, &t) != 0 && errno == EINTR) continue;
}

// Waits for what another thread will do; gives up (a failed check) after 10 s.
#define WAIT_UNTIL(condition)                                                      \
  do {                                                                             \
    int tries_ = 0;                                                                \
    while (!(condition) && tries_++ < 10000) sleep_ms(1);                          \
    check_true((condition) ? 1 : 0, "eventually " #condition, __FILE__, __LINE__); \
  } while (0)

#define LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_SEQ_CST)
#define STORE(variable, value) __atomic_store_n(&(variable), value, __ATOMIC_SEQ_CST)
#define ADD(variable, value) __atomic_add_fetch(&(variable), value, __ATOMIC_SEQ_CST)

__attribute__((unused)) static pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t thread;
  if (!CHECK_OK(pthread_create(&thread, NULL, function, argument))) exit(2);
  return thread;
}

__attribute__((unused)) static void* join(pthread_t thread) {
  void* result = NULL;
  CHECK_OK(pthread_join(thread, &result));
  return result;
}

// Runs `function(argument)` in a new thread and returns what it returned.
__attribute__((unused)) static void* in_thread(void* (*function)(void*), void* argument) {
  return join(start(function, argument));
}

// Runs `function(argument)` in a forked child, which then calls exit(0) unless it ended otherwise; returns the wait
// status. Failed checks of the child are the parent's too.
__attribute__((unused)) static int in_child(void (*function)(void*), void* argument) {
  int status = -1;
  fflush(NULL);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    check_failed = 0;
    function(argument);
    fflush(NULL);
    _exit(check_failed ? 99 : 0);
  }
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) == 99));
  return status;
}

#endif  // XBDBG_TESTS_TARGET_CONFORMANCE_CHECK_H_
