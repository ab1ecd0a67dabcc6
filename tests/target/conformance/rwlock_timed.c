// Timed read and write locks, by wall clock and by chosen clock.
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

struct Attempt {
  int write;
  clockid_t clock;                  // -1: the plain timed function
  const struct timespec* deadline;  // NULL: 20 ms from now
};

static void* attempt(void* argument) {
  struct Attempt* a = argument;
  clockid_t clock = a->clock == -1 ? CLOCK_REALTIME : a->clock;
  struct timespec soon = time_after_ms(clock, 20);
  const struct timespec* deadline = a->deadline ? a->deadline : &soon;
  int error;
  if (a->clock == -1)
    error = a->write ? pthread_rwlock_timedwrlock(&lock, deadline) : pthread_rwlock_timedrdlock(&lock, deadline);
  else
    error = a->write ? pthread_rwlock_clockwrlock(&lock, a->clock, deadline)
                     : pthread_rwlock_clockrdlock(&lock, a->clock, deadline);
  if (error == 0) CHECK_OK(pthread_rwlock_unlock(&lock));
  if (error == ETIMEDOUT) CHECK(is_past(clock, deadline));
  return (void*)(intptr_t)error;
}

static int try_in_thread(int write, clockid_t clock, const struct timespec* deadline) {
  struct Attempt a = {write, clock, deadline};
  return (int)(intptr_t)in_thread(attempt, &a);
}

static void a_write_locked_lock_times_out_everyone(void) {
  static const clockid_t clocks[] = {-1, CLOCK_REALTIME, CLOCK_MONOTONIC};
  CHECK_OK(pthread_rwlock_wrlock(&lock));
  for (int i = 0; i < 3; i++) {
    for (int write = 0; write < 2; write++) {
      CHECK_EQ(try_in_thread(write, clocks[i], NULL), ETIMEDOUT);
      CHECK_EQ(try_in_thread(write, clocks[i], &kPast), ETIMEDOUT);
    }
  }
  CHECK_OK(pthread_rwlock_unlock(&lock));
}

static void a_read_locked_lock_times_out_writers_only(void) {
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  CHECK_EQ(try_in_thread(1, -1, NULL), ETIMEDOUT);
  CHECK_EQ(try_in_thread(1, CLOCK_MONOTONIC, NULL), ETIMEDOUT);
  CHECK_EQ(try_in_thread(0, -1, NULL), 0);
  CHECK_EQ(try_in_thread(0, -1, &kPast), 0);
  CHECK_OK(pthread_rwlock_unlock(&lock));
}

static void a_free_lock_is_taken_in_the_past_too(void) {
  CHECK_EQ(try_in_thread(0, -1, &kPast), 0);
  CHECK_EQ(try_in_thread(1, -1, &kPast), 0);
  CHECK_EQ(try_in_thread(0, CLOCK_MONOTONIC, &kPast), 0);
  CHECK_EQ(try_in_thread(1, CLOCK_MONOTONIC, &kPast), 0);
}

static void malformed_deadlines_are_refused_at_once(void) {
  // Unlike mutexes, glibc checks before it looks at the lock.
  for (int write = 0; write < 2; write++) {
    CHECK_EQ(try_in_thread(write, -1, &kBadNsec), EINVAL);
    CHECK_EQ(try_in_thread(write, -1, &kNegativeNsec), EINVAL);
    CHECK_EQ(try_in_thread(write, CLOCK_MONOTONIC, &kBadNsec), EINVAL);
    CHECK_EQ(try_in_thread(write, CLOCK_PROCESS_CPUTIME_ID, &kPast), EINVAL);
    CHECK_EQ(try_in_thread(write, 12345, &kPast), EINVAL);
  }
}

static void* attempt_long(void* write) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 30000);
  struct Attempt a = {(int)(intptr_t)write, -1, &deadline};
  return attempt(&a);
}

static void unlock_ends_timed_waits(void) {
  pthread_t threads[3];
  CHECK_OK(pthread_rwlock_wrlock(&lock));
  for (int i = 0; i < 3; i++) threads[i] = start(attempt_long, (void*)(intptr_t)(i == 1));
  sleep_ms(20);
  CHECK_OK(pthread_rwlock_unlock(&lock));
  for (int i = 0; i < 3; i++) CHECK_EQ((intptr_t)join(threads[i]), 0);
}

static int finished, handled;
static void count_signal(int signal_number) {
  (void)signal_number;
  ADD(handled, 1);
}
static void* attempt_long_and_flag(void* write) {
  void* result = attempt_long(write);
  STORE(finished, 1);
  return result;
}

static void signals_run_their_handler_and_the_wait_goes_on(void) {
  struct sigaction action = {.sa_handler = count_signal};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  for (int write = 0; write < 2; write++) {
    finished = handled = 0;
    CHECK_OK(pthread_rwlock_wrlock(&lock));
    pthread_t thread = start(attempt_long_and_flag, (void*)(intptr_t)write);
    CHECK_OK(pthread_kill(thread, SIGUSR1));
    WAIT_UNTIL(LOAD(handled) == 1);
    CHECK_EQ(LOAD(finished), 0);
    CHECK_OK(pthread_rwlock_unlock(&lock));
    CHECK_EQ((intptr_t)join(thread), 0);
  }
}

static pthread_rwlock_t writers_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void* write_for_20_ms(void* unused) {
  struct timespec soon = time_after_ms(CLOCK_REALTIME, 20);
  CHECK_EQ(pthread_rwlock_timedwrlock(&writers_first, &soon), ETIMEDOUT);
  return unused;
}
static void* read_behind_a_writer(void* unused) {
  CHECK_OK(pthread_rwlock_rdlock(&writers_first));
  CHECK_OK(pthread_rwlock_unlock(&writers_first));
  return unused;
}

static void readers_go_on_when_a_writer_they_let_first_gives_up(void) {
  CHECK_OK(pthread_rwlock_rdlock(&writers_first));
  pthread_t writer = start(write_for_20_ms, NULL);
  sleep_ms(5);
  pthread_t reader = start(read_behind_a_writer, NULL);
  join(writer);
  join(reader);
  CHECK_OK(pthread_rwlock_unlock(&writers_first));
}

CHECK_MAIN(CASE(readers_go_on_when_a_writer_they_let_first_gives_up), CASE(a_write_locked_lock_times_out_everyone),
           CASE(a_read_locked_lock_times_out_writers_only), CASE(a_free_lock_is_taken_in_the_past_too),
           CASE(malformed_deadlines_are_refused_at_once), CASE(unlock_ends_timed_waits),
           CASE(signals_run_their_handler_and_the_wait_goes_on))
