// The futex system call itself, as std::atomic::wait, OpenMP and Rust use it.
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "check.h"

static long futex(void* word, int operation, unsigned value, const void* timeout, void* word2, unsigned value3) {
  return syscall(SYS_futex, word, operation, value, timeout, word2, value3);
}
static const struct timespec kTwentyMs = {0, 20000000};

static unsigned word, other_word;
static int woken, waiting;

static void reset(void) { word = other_word = woken = waiting = 0; }

static void* wait_while_zero(void* operation) {
  ADD(waiting, 1);
  while (LOAD(word) == 0) futex(&word, (int)(intptr_t)operation, 0, NULL, NULL, 0);
  ADD(woken, 1);
  return NULL;
}

static void a_changed_word_is_not_waited_for(void) {
  reset();
  word = 1;
  CHECK_ERRNO(futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0), EAGAIN);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EAGAIN);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, FUTEX_BITSET_MATCH_ANY), EAGAIN);
}

static void a_wait_times_out(void) {
  reset();
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 20);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &kTwentyMs, NULL, 0), ETIMEDOUT);
  CHECK(is_past(CLOCK_MONOTONIC, &deadline));
  deadline = time_after_ms(CLOCK_MONOTONIC, 20);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, NULL, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
  CHECK(is_past(CLOCK_MONOTONIC, &deadline));
  deadline = time_after_ms(CLOCK_REALTIME, 20);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &deadline, NULL, ~0u), ETIMEDOUT);
  CHECK(is_past(CLOCK_REALTIME, &deadline));
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &kPast, NULL, ~0u), ETIMEDOUT);
}

static void wakes(void) {
  static const int waits[] = {FUTEX_WAIT, FUTEX_WAIT_PRIVATE};
  static const int wakers[] = {FUTEX_WAKE, FUTEX_WAKE_PRIVATE};
  for (int i = 0; i < 2; i++) {
    pthread_t threads[3];
    reset();
    CHECK_EQ(futex(&word, wakers[i], INT_MAX, NULL, NULL, 0), 0);
    for (int t = 0; t < 3; t++) threads[t] = start(wait_while_zero, (void*)(intptr_t)waits[i]);
    WAIT_UNTIL(LOAD(waiting) == 3);
    sleep_ms(5);
    CHECK_EQ(LOAD(woken), 0);
    STORE(word, 1);
    CHECK(futex(&word, wakers[i], INT_MAX, NULL, NULL, 0) <= 3);
    for (int t = 0; t < 3; t++) join(threads[t]);
    CHECK_EQ(woken, 3);
  }
}

// Waits once and counts itself only if it was woken; the woken ones are those FUTEX_WAKE counted.
static void* wait_once(void* bits) {
  ADD(waiting, 1);
  long result = futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, (unsigned)(uintptr_t)bits);
  if (result == 0) ADD(woken, 1);
  return NULL;
}

static void wake_counts_whom_it_woke(void) {
  pthread_t threads[4];
  long count = 0;
  reset();
  for (int t = 0; t < 4; t++) threads[t] = start(wait_once, (void*)(uintptr_t)~0u);
  for (int i = 0; i < 5000 && count < 3; i++) {
    long one = futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    CHECK(one == 0 || one == 1);
    count += one;
    if (one == 0) sleep_ms(1);
  }
  CHECK_EQ(count, 3);
  WAIT_UNTIL(LOAD(woken) == 3);
  while (count < 4) count += futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  for (int t = 0; t < 4; t++) join(threads[t]);
  CHECK_EQ(woken, 4);
}

static void bitsets_select(void) {
  pthread_t threads[2];
  reset();
  threads[0] = start(wait_once, (void*)1);
  while (futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 1) == 0) sleep_ms(1);
  join(threads[0]);
  threads[0] = start(wait_once, (void*)1);
  threads[1] = start(wait_once, (void*)2);
  while (futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 2) == 0) sleep_ms(1);
  join(threads[1]);
  CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 4), 0);
  while (futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 1) == 0) sleep_ms(1);
  join(threads[0]);
  CHECK_ERRNO(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 0), EINVAL);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0), EINVAL);
}

static void requeue_moves_waiters(void) {
  static const int operations[] = {FUTEX_REQUEUE_PRIVATE, FUTEX_CMP_REQUEUE_PRIVATE};
  for (int i = 0; i < 2; i++) {
    pthread_t threads[3];
    long moved = 0;
    reset();
    for (int t = 0; t < 3; t++) threads[t] = start(wait_once, (void*)(uintptr_t)~0u);
    while (moved < 3) {
      long n = futex(&word, operations[i], 0, (void*)(uintptr_t)INT_MAX, &other_word, 0);
      if (!CHECK(n >= 0)) break;
      moved += n;
      if (n == 0) sleep_ms(1);
    }
    CHECK_EQ(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 0);  // nobody is left here
    CHECK_EQ(LOAD(woken), 0);
    CHECK_EQ(futex(&other_word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 3);
    for (int t = 0; t < 3; t++) join(threads[t]);
    CHECK_EQ(woken, 3);
  }
  word = 7;
  CHECK_ERRNO(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void*)1, &other_word, 8), EAGAIN);
}

static void wake_op_changes_and_wakes_both(void) {
  pthread_t thread;
  reset();
  other_word = 5;
  thread = start(wait_once, (void*)(uintptr_t)~0u);
  // other_word += 3 each time; waiters of other_word are woken if it was >= 0 before, which is always.
  long n = 0;
  int calls = 0;
  while (n == 0) {
    n = futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, (void*)1, &other_word, FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_GE, 0));
    calls++;
    if (n == 0) sleep_ms(1);
  }
  CHECK_EQ(n, 1);
  CHECK_EQ(other_word, 5 + 3 * calls);
  join(thread);
}

static volatile int handled;
static int ended;
static void count_signal(int signal_number) {
  (void)signal_number;
  handled++;
}
static void* wait_for_interruption(void* unused) {
  (void)unused;
  long result = futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  int error = errno;
  STORE(ended, 1);
  return (void*)(intptr_t)(result == 0 ? 0 : error);
}

static void a_handler_interrupts_the_wait(void) {
  struct sigaction action = {.sa_handler = count_signal};
  reset();
  ended = 0;
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  pthread_t thread = start(wait_for_interruption, NULL);
  while (!LOAD(ended)) {
    CHECK_OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(1);
  }
  CHECK_EQ((intptr_t)join(thread), EINTR);
}

static void errors(void) {
  reset();
  CHECK_ERRNO(futex((char*)&word + 1, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EINVAL);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &kBadNsec, NULL, 0), EINVAL);
  CHECK_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &kNegativeNsec, NULL, 0), EINVAL);
  CHECK_ERRNO(futex(&word, 100, 0, NULL, NULL, 0), ENOSYS);
  CHECK_ERRNO(futex(NULL, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EFAULT);
}

static unsigned lock_word;
static long counter;
// The classic three-state lock: 0 free, 1 taken, 2 taken with waiters.
static void* lock_and_count(void* unused) {
  for (int i = 0; i < 300; i++) {
    unsigned state = 0;
    if (!__atomic_compare_exchange_n(&lock_word, &state, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      while (__atomic_exchange_n(&lock_word, 2, __ATOMIC_ACQUIRE) != 0)
        futex(&lock_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    }
    long seen = counter;
    if (i % 10 == 0) sched_yield();
    counter = seen + 1;
    if (__atomic_exchange_n(&lock_word, 0, __ATOMIC_RELEASE) == 2)
      futex(&lock_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
  return unused;
}

static void a_lock_made_of_it(void) {
  pthread_t threads[4];
  for (int t = 0; t < 4; t++) threads[t] = start(lock_and_count, NULL);
  for (int t = 0; t < 4; t++) join(threads[t]);
  CHECK_EQ(counter, 1200);
}

CHECK_MAIN(CASE(a_changed_word_is_not_waited_for), CASE(a_wait_times_out), CASE(wakes),
           CASE(wake_counts_whom_it_woke), CASE(bitsets_select), CASE(requeue_moves_waiters),
           CASE(wake_op_changes_and_wakes_both), CASE(a_handler_interrupts_the_wait), CASE(errors),
           CASE(a_lock_made_of_it))
