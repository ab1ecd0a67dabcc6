// Barriers: one serial thread per round, reuse, destruction, errors.
#include <limits.h>

#include "check.h"

static pthread_barrier_t barrier;
static int serial, arrived, rounds_done;

static void* go_round(void* argument) {
  int rounds = (int)(intptr_t)argument;
  for (int i = 0; i < rounds; i++) {
    ADD(arrived, 1);
    int result = pthread_barrier_wait(&barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(LOAD(arrived) >= 4 * (i + 1));
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) ADD(serial, 1);
    result = pthread_barrier_wait(&barrier);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) ADD(rounds_done, 1);
  }
  return NULL;
}

static void every_round_has_one_serial_thread(void) {
  pthread_t threads[3];
  CHECK_OK(pthread_barrier_init(&barrier, NULL, 4));
  for (int i = 0; i < 3; i++) threads[i] = start(go_round, (void*)50);
  go_round((void*)50);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(serial, 50);
  CHECK_EQ(rounds_done, 50);
  CHECK_EQ(arrived, 200);
  CHECK_OK(pthread_barrier_destroy(&barrier));
}

static void a_barrier_of_one_never_blocks(void) {
  CHECK_OK(pthread_barrier_init(&barrier, NULL, 1));
  for (int i = 0; i < 3; i++) CHECK_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK_OK(pthread_barrier_destroy(&barrier));
}

static void counts_out_of_range(void) {
  CHECK_EQ(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
  CHECK_EQ(pthread_barrier_init(&barrier, NULL, UINT_MAX), EINVAL);
  CHECK_OK(pthread_barrier_init(&barrier, NULL, INT_MAX - 1));
  CHECK_OK(pthread_barrier_destroy(&barrier));
}

static int passed;
static void* wait_once(void* unused) {
  int result = pthread_barrier_wait(&barrier);
  CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  ADD(passed, 1);
  return unused;
}

static void nobody_passes_early(void) {
  pthread_t threads[3];
  CHECK_OK(pthread_barrier_init(&barrier, NULL, 4));
  for (int i = 0; i < 3; i++) threads[i] = start(wait_once, NULL);
  sleep_ms(20);
  CHECK_EQ(LOAD(passed), 0);
  wait_once(NULL);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(passed, 4);
}

static void destroying_right_after_the_wait(void) {
  for (int round = 0; round < 30; round++) {
    CHECK_OK(pthread_barrier_init(&barrier, NULL, 2));
    pthread_t thread = start(wait_once, NULL);
    int result = pthread_barrier_wait(&barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK_OK(pthread_barrier_destroy(&barrier));
    memset(&barrier, 0xff, sizeof barrier);
    join(thread);
  }
}

static void attributes(void) {
  pthread_barrierattr_t attr;
  int shared = -1;
  CHECK_OK(pthread_barrierattr_init(&attr));
  CHECK_OK(pthread_barrierattr_getpshared(&attr, &shared));
  CHECK_EQ(shared, PTHREAD_PROCESS_PRIVATE);
  CHECK_OK(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_barrierattr_getpshared(&attr, &shared));
  CHECK_EQ(shared, PTHREAD_PROCESS_SHARED);
  CHECK_EQ(pthread_barrierattr_setpshared(&attr, 42), EINVAL);
  CHECK_OK(pthread_barrier_init(&barrier, &attr, 1));
  CHECK_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK_OK(pthread_barrier_destroy(&barrier));
  CHECK_OK(pthread_barrierattr_destroy(&attr));
}

static int handled;
static void count_signal(int signal_number) {
  (void)signal_number;
  ADD(handled, 1);
}

static void a_signal_does_not_end_the_wait(void) {
  struct sigaction action = {.sa_handler = count_signal};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(pthread_barrier_init(&barrier, NULL, 2));
  passed = 0;
  pthread_t thread = start(wait_once, NULL);
  CHECK_OK(pthread_kill(thread, SIGUSR1));
  WAIT_UNTIL(LOAD(handled) == 1);
  CHECK_EQ(LOAD(passed), 0);
  wait_once(NULL);
  join(thread);
}

static int main_passed;
static void wait_in_handler(int signal_number) {
  (void)signal_number;
  STORE(handled, 1);
  WAIT_UNTIL(LOAD(main_passed));
}

// glibc's barrier begins with the number of arrivals: nothing else tells that the thread has arrived.
static void a_thread_whose_handler_waits_has_arrived(void) {
  struct sigaction action = {.sa_handler = wait_in_handler};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(pthread_barrier_init(&barrier, NULL, 2));
  handled = main_passed = passed = 0;
  pthread_t thread = start(wait_once, NULL);
  WAIT_UNTIL(LOAD(*(unsigned*)(void*)&barrier) == 1);
  CHECK_OK(pthread_kill(thread, SIGUSR1));
  WAIT_UNTIL(LOAD(handled) == 1);
  wait_once(NULL);
  STORE(main_passed, 1);
  join(thread);
  CHECK_OK(pthread_barrier_destroy(&barrier));
}

CHECK_MAIN(CASE(every_round_has_one_serial_thread), CASE(a_barrier_of_one_never_blocks), CASE(counts_out_of_range),
           CASE(nobody_passes_early), CASE(destroying_right_after_the_wait), CASE(attributes),
           CASE(a_signal_does_not_end_the_wait), CASE(a_thread_whose_handler_waits_has_arrived))
