// Unnamed semaphores: wait, try, timed, post, value, limits, interruption.
#include <limits.h>
#include <semaphore.h>

#include "check.h"

static sem_t sem;

static int value_of(sem_t* s) {
  int value = -1;
  CHECK_OK(sem_getvalue(s, &value));
  return value;
}

static void counting(void) {
  CHECK_OK(sem_init(&sem, 0, 2));
  CHECK_EQ(value_of(&sem), 2);
  CHECK_OK(sem_wait(&sem));
  CHECK_OK(sem_trywait(&sem));
  CHECK_EQ(value_of(&sem), 0);
  CHECK_ERRNO(sem_trywait(&sem), EAGAIN);
  CHECK_OK(sem_post(&sem));
  CHECK_OK(sem_post(&sem));
  CHECK_OK(sem_post(&sem));
  CHECK_EQ(value_of(&sem), 3);
  CHECK_OK(sem_destroy(&sem));
}

static void limits(void) {
  CHECK_ERRNO(sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
  CHECK_OK(sem_init(&sem, 0, SEM_VALUE_MAX));
  CHECK_EQ(value_of(&sem), SEM_VALUE_MAX);
  CHECK_ERRNO(sem_post(&sem), EOVERFLOW);
  CHECK_OK(sem_wait(&sem));
  CHECK_OK(sem_post(&sem));
  CHECK_ERRNO(sem_post(&sem), EOVERFLOW);
  CHECK_EQ(sysconf(_SC_SEM_VALUE_MAX), SEM_VALUE_MAX);
}

static int passed;
static void* wait_once(void* unused) {
  CHECK_OK(sem_wait(&sem));
  ADD(passed, 1);
  return unused;
}

static void each_post_lets_one_waiter_pass(void) {
  pthread_t threads[3];
  passed = 0;
  CHECK_OK(sem_init(&sem, 0, 0));
  for (int i = 0; i < 3; i++) threads[i] = start(wait_once, NULL);
  for (int i = 1; i <= 3; i++) {
    CHECK_OK(sem_post(&sem));
    WAIT_UNTIL(LOAD(passed) == i);
    sleep_ms(5);
    CHECK_EQ(LOAD(passed), i);
  }
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_EQ(value_of(&sem), 0);
}

static void the_value_is_never_negative(void) {
  CHECK_OK(sem_init(&sem, 0, 0));
  pthread_t thread = start(wait_once, NULL);
  sleep_ms(20);
  CHECK_EQ(value_of(&sem), 0);
  CHECK_OK(sem_post(&sem));
  join(thread);
}

static void timed_waits(void) {
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  CHECK_OK(sem_init(&sem, 0, 0));
  CHECK_ERRNO(sem_timedwait(&sem, &kPast), ETIMEDOUT);
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  CHECK_ERRNO(sem_timedwait(&sem, &deadline), ETIMEDOUT);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  for (int i = 0; i < 2; i++) {
    deadline = time_after_ms(clocks[i], 20);
    CHECK_ERRNO(sem_clockwait(&sem, clocks[i], &deadline), ETIMEDOUT);
    CHECK(is_past(clocks[i], &deadline));
  }
  CHECK_ERRNO(sem_timedwait(&sem, &kBadNsec), EINVAL);
  CHECK_ERRNO(sem_timedwait(&sem, &kNegativeNsec), EINVAL);
  CHECK_ERRNO(sem_clockwait(&sem, CLOCK_MONOTONIC, &kBadNsec), EINVAL);
  CHECK_ERRNO(sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &kPast), EINVAL);
  CHECK_ERRNO(sem_clockwait(&sem, 12345, &kPast), EINVAL);
  CHECK_OK(sem_post(&sem));
  CHECK_OK(sem_timedwait(&sem, &kPast));  // available: the deadline does not matter
  CHECK_OK(sem_post(&sem));
  CHECK_OK(sem_clockwait(&sem, CLOCK_MONOTONIC, &kPast));
}

static void* timed_wait_long(void* unused) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 30000);
  (void)unused;
  return (void*)(intptr_t)sem_timedwait(&sem, &deadline);
}

static void a_post_ends_a_timed_wait(void) {
  CHECK_OK(sem_init(&sem, 0, 0));
  pthread_t thread = start(timed_wait_long, NULL);
  sleep_ms(10);
  CHECK_OK(sem_post(&sem));
  CHECK_EQ((intptr_t)join(thread), 0);
}

static int handled, ended;
static void count_signal(int signal_number) {
  (void)signal_number;
  ADD(handled, 1);
}
static void* wait_for_interruption(void* timed) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 30000);
  int result = timed ? sem_timedwait(&sem, &deadline) : sem_wait(&sem);
  int error = result == 0 ? 0 : errno;
  STORE(ended, 1);
  return (void*)(intptr_t)error;
}

static void a_handler_interrupts_the_wait(void) {
  for (int timed = 0; timed < 2; timed++) {
    for (int restart = 0; restart < 2; restart++) {
      // The kernel restarts the futex wait below sem_wait under SA_RESTART, and never the one below sem_timedwait.
      struct sigaction action = {.sa_handler = count_signal, .sa_flags = restart ? SA_RESTART : 0};
      CHECK_OK(sigaction(SIGUSR1, &action, NULL));
      CHECK_OK(sem_init(&sem, 0, 0));
      handled = ended = 0;
      pthread_t thread = start(wait_for_interruption, timed ? &sem : NULL);
      if (restart && !timed) {
        for (int i = 0; i < 5; i++) {
          CHECK_OK(pthread_kill(thread, SIGUSR1));
          sleep_ms(4);
        }
        CHECK_EQ(LOAD(ended), 0);
        CHECK_OK(sem_post(&sem));
        CHECK_EQ((intptr_t)join(thread), 0);
      } else {
        while (!LOAD(ended)) {
          CHECK_OK(pthread_kill(thread, SIGUSR1));
          sleep_ms(2);
        }
        CHECK_EQ((intptr_t)join(thread), EINTR);
      }
      CHECK(LOAD(handled) >= 1);
    }
  }
}

static void post_in_handler(int signal_number) {
  (void)signal_number;
  sem_post(&sem);
}

static void post_is_async_signal_safe(void) {
  struct sigaction action = {.sa_handler = post_in_handler};
  CHECK_OK(sigaction(SIGUSR2, &action, NULL));
  CHECK_OK(sem_init(&sem, 0, 0));
  CHECK_OK(raise(SIGUSR2));
  CHECK_OK(sem_wait(&sem));
  passed = 0;
  pthread_t thread = start(wait_once, NULL);
  CHECK_OK(kill(getpid(), SIGUSR2));
  join(thread);
}

static sem_t empty_slots, full_slots;
static int buffer[4], produced_sum, consumed_sum;
static void* produce(void* unused) {
  for (int i = 1; i <= 200; i++) {
    CHECK_OK(sem_wait(&empty_slots));
    buffer[i % 4] = i;
    produced_sum += i;
    CHECK_OK(sem_post(&full_slots));
  }
  return unused;
}

static void producer_and_consumer(void) {
  CHECK_OK(sem_init(&empty_slots, 0, 4));
  CHECK_OK(sem_init(&full_slots, 0, 0));
  pthread_t producer = start(produce, NULL);
  for (int i = 1; i <= 200; i++) {
    CHECK_OK(sem_wait(&full_slots));
    CHECK_EQ(buffer[i % 4], i);
    consumed_sum += buffer[i % 4];
    CHECK_OK(sem_post(&empty_slots));
  }
  join(producer);
  CHECK_EQ(consumed_sum, produced_sum);
}

CHECK_MAIN(CASE(counting), CASE(limits), CASE(each_post_lets_one_waiter_pass), CASE(the_value_is_never_negative),
           CASE(timed_waits), CASE(a_post_ends_a_timed_wait), CASE(a_handler_interrupts_the_wait),
           CASE(post_is_async_signal_safe), CASE(producer_and_consumer))
