// What the programs of tests/target/replay have in common. They are plain user programs: libc and nothing of ours.
//
// A program exercises one behaviour of the kernel or of libc, checks what Linux promises about it, prints what it saw
// (which may differ from run to run, but not from a recording to its replay) and ends with passed(). It starts in an
// empty folder of its own, with three lines on its standard input. A program that ends otherwise says so in its first
// lines: "// ends: 134", the status as a shell shows it. Children write nothing to the program's own output: they are
// not replayed.
#ifndef XBDBG_TESTS_TARGET_REPLAY_PROGRAMS_PROGRAM_H_
#define XBDBG_TESTS_TARGET_REPLAY_PROGRAMS_PROGRAM_H_

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noreturn, unused)) static void program_failed(const char* file, int line, const char* what, long value,
                                                             long expected) {
  dprintf(2, "%s:%d: failed: %s (%ld, expected %ld, errno %d: %s)\n", file, line, what, value, expected, errno,
          strerror(errno));
  _exit(1);
}

#define TEST(condition)                                                       \
  do {                                                                        \
    if (!(condition)) program_failed(__FILE__, __LINE__, #condition, 0L, 1L); \
  } while (0)
#define TEST_EQ(actual, expected)                                                                               \
  do {                                                                                                          \
    long actual_ = (long)(actual), expected_ = (long)(expected);                                                \
    if (actual_ != expected_) program_failed(__FILE__, __LINE__, #actual " == " #expected, actual_, expected_); \
  } while (0)
// For calls that return -1 and set errno.
#define TEST_ERRNO(call, expected) \
  do {                             \
    errno = 0;                     \
    long result_ = (long)(call);   \
    int error_ = errno;            \
    TEST_EQ(result_, -1);          \
    TEST_EQ(error_, expected);     \
  } while (0)

// Line by line, also into a pipe: nothing is left in a buffer that a child would write again.
__attribute__((constructor, unused)) static void program_begins(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

__attribute__((unused)) static int passed(void) {
  puts("EXIT-SUCCESS");
  return 0;
}

__attribute__((unused)) static pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t thread;
  TEST_EQ(pthread_create(&thread, NULL, function, argument), 0);
  return thread;
}

__attribute__((unused)) static void* join(pthread_t thread) {
  void* result = NULL;
  TEST_EQ(pthread_join(thread, &result), 0);
  return result;
}

__attribute__((unused)) static void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  while (nanosleep(&t, &t) != 0 && errno == EINTR) continue;
}

__attribute__((unused)) static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

__attribute__((unused)) static void read_all(int fd, void* buffer, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = read(fd, (char*)buffer + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    TEST(n > 0);
    done += (size_t)n;
  }
}

__attribute__((unused)) static void write_all(int fd, const void* buffer, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char*)buffer + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    TEST(n > 0);
    done += (size_t)n;
  }
}

__attribute__((unused)) static void write_file(const char* path, const char* text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  TEST(fd >= 0);
  write_all(fd, text, strlen(text));
  TEST_EQ(close(fd), 0);
}

__attribute__((unused)) static void handle(int signo, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  TEST_EQ(sigaction(signo, &action, NULL), 0);
}

__attribute__((unused)) static void handle_info(int signo, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = flags | SA_SIGINFO;
  TEST_EQ(sigaction(signo, &action, NULL), 0);
}

__attribute__((unused)) static int wait_for(pid_t pid) {
  int status = -1;
  while (waitpid(pid, &status, 0) < 0) TEST_EQ(errno, EINTR);
  return status;
}

// Fills with what depends on the position, so that a byte at the wrong place is noticed.
__attribute__((unused)) static void fill(unsigned char* bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)((i * 31 + i / 253 + seed) & 0xff);
}

__attribute__((unused)) static uint64_t hash_of(const void* data, size_t size) {
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; i++) h = (h ^ ((const unsigned char*)data)[i]) * UINT64_C(1099511628211);
  return h;
}

#define LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_SEQ_CST)
#define STORE(variable, value) __atomic_store_n(&(variable), value, __ATOMIC_SEQ_CST)
#define ADD(variable, value) __atomic_add_fetch(&(variable), value, __ATOMIC_SEQ_CST)

// Waits for what another thread, a signal or a child will do.
#define WAIT_UNTIL(condition)                             \
  do {                                                    \
    int tries_ = 0;                                       \
    while (!(condition) && tries_++ < 20000) sleep_ms(1); \
    TEST(condition);                                      \
  } while (0)

#endif  // XBDBG_TESTS_TARGET_REPLAY_PROGRAMS_PROGRAM_H_
