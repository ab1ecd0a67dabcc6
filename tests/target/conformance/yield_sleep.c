// Yielding and sleeping: durations, absolute deadlines, interruption, errors; other threads run meanwhile.
#include <poll.h>
#include <sys/select.h>

#include "check.h"

#define TAKES_AT_LEAST(ms, call)                                                                      \
  do {                                                                                                \
    struct timespec until_ = time_after_ms(CLOCK_MONOTONIC, ms);                                      \
    call;                                                                                             \
    check_true(is_past(CLOCK_MONOTONIC, &until_), "at least " #ms " ms: " #call, __FILE__, __LINE__); \
  } while (0)

static void every_kind_of_sleep_takes_its_time(void) {
  struct timespec ten = {0, 10000000};
  struct timeval ten_us = {0, 10000};
  TAKES_AT_LEAST(10, CHECK_OK(nanosleep(&ten, NULL)));
  TAKES_AT_LEAST(10, CHECK_OK(usleep(10000)));
  TAKES_AT_LEAST(10, CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, 0, &ten, NULL)));
  TAKES_AT_LEAST(10, CHECK_OK(clock_nanosleep(CLOCK_REALTIME, 0, &ten, NULL)));
  TAKES_AT_LEAST(10, CHECK_EQ(poll(NULL, 0, 10), 0));
  TAKES_AT_LEAST(10, CHECK_EQ(select(0, NULL, NULL, NULL, &ten_us), 0));
  TAKES_AT_LEAST(10, CHECK_EQ(pselect(0, NULL, NULL, NULL, &ten, NULL), 0));
  TAKES_AT_LEAST(10, CHECK_EQ(ppoll(NULL, 0, &ten, NULL), 0));
}

static void a_second_of_sleep(void) { TAKES_AT_LEAST(1000, CHECK_EQ(sleep(1), 0)); }

static void absolute_deadlines(void) {
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 15);
  CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL));
  CHECK(is_past(CLOCK_MONOTONIC, &deadline));
  deadline = time_after_ms(CLOCK_REALTIME, 15);
  CHECK_OK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &deadline, NULL));
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){0, 1}, NULL));
}

static void errors(void) {
  CHECK_ERRNO(nanosleep(&kBadNsec, NULL), EINVAL);
  CHECK_ERRNO(nanosleep(&kNegativeNsec, NULL), EINVAL);
  CHECK_ERRNO(nanosleep(&(struct timespec){-1, 0}, NULL), EINVAL);
  CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &kBadNsec, NULL), EINVAL);
  CHECK_EQ(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &kPast, NULL), EINVAL);
  CHECK_EQ(clock_nanosleep(12345, 0, &kPast, NULL), EINVAL);
}

static void sleeping_for_nothing(void) {
  CHECK_OK(nanosleep(&(struct timespec){0, 0}, NULL));
  CHECK_EQ(sleep(0), 0);
  CHECK_OK(usleep(0));
  CHECK_EQ(poll(NULL, 0, 0), 0);
}

static int counter;
static void* count_then_end(void* unused) {
  for (int i = 0; i < 100; i++) {
    ADD(counter, 1);
    CHECK_OK(sched_yield());
  }
  return unused;
}

static void yielding_lets_others_finish(void) {
  pthread_t thread = start(count_then_end, NULL);
  while (LOAD(counter) < 100) CHECK_OK(sched_yield());
  join(thread);
}

static int order[3], length;
static void* sleep_and_note(void* ms) {
  sleep_ms((long)(intptr_t)ms);
  order[__atomic_fetch_add(&length, 1, __ATOMIC_SEQ_CST)] = (int)(intptr_t)ms;
  return NULL;
}

static void shorter_sleeps_end_first(void) {
  pthread_t threads[3] = {start(sleep_and_note, (void*)300), start(sleep_and_note, (void*)150),
                          start(sleep_and_note, (void*)5)};
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(order[0], 5);
  CHECK_EQ(order[1], 150);
  CHECK_EQ(order[2], 300);
}

static volatile int handled;
static void count_signal(int signal_number) {
  (void)signal_number;
  handled++;
}
static int ended;
static void* sleep_thirty(void* unused) {
  (void)unused;
  unsigned left = sleep(30);
  STORE(ended, 1);
  return (void*)(intptr_t)left;
}
static void* nanosleep_absolute(void* unused) {
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 30000);
  (void)unused;
  int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
  STORE(ended, 1);
  return (void*)(intptr_t)error;
}
static void* poll_long(void* unused) {
  (void)unused;
  int error = poll(NULL, 0, 30000) < 0 ? errno : 0;
  STORE(ended, 1);
  return (void*)(intptr_t)error;
}
static intptr_t interrupt(void* (*body)(void*)) {
  struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  STORE(ended, 0);
  pthread_t thread = start(body, NULL);
  while (!LOAD(ended)) {
    CHECK_OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(1);
  }
  return (intptr_t)join(thread);
}

static void handlers_interrupt_sleeps_even_with_restart(void) {
  intptr_t left = interrupt(sleep_thirty);
  CHECK(left >= 25 && left <= 30);
  CHECK_EQ(interrupt(nanosleep_absolute), EINTR);
  CHECK_EQ(interrupt(poll_long), EINTR);
}

CHECK_MAIN(CASE(every_kind_of_sleep_takes_its_time), CASE(a_second_of_sleep), CASE(absolute_deadlines), CASE(errors),
           CASE(sleeping_for_nothing), CASE(yielding_lets_others_finish), CASE(shorter_sleeps_end_first),
           CASE(handlers_interrupt_sleeps_even_with_restart))
