// futex by system call: waiting, waking, bit sets, requeueing, time limits.
#include <linux/futex.h>
#include <sys/syscall.h>

#include "program.h"

static int word, other, waiting, done;

static long futex(int* address, int op, int value, const void* timeout, int* second, int third) {
  return syscall(SYS_futex, address, op, value, timeout, second, third);
}

static void* waiter(void* unused) {
  ADD(waiting, 1);
  while (LOAD(word) == 0) futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  ADD(done, 1);
  return unused;
}

static void* bit_waiter(void* bits) {
  ADD(waiting, 1);
  TEST_EQ(futex(&other, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, (int)(long)bits), 0);
  ADD(done, 1);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  struct timespec t = {0, 10000000};
  TEST_ERRNO(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
  int64_t before = now_ms();
  TEST_ERRNO(futex(&word, FUTEX_WAIT, 0, &t, NULL, 0), ETIMEDOUT);
  TEST(now_ms() - before >= 9);
  for (int i = 0; i < 3; i++) threads[i] = start(waiter, NULL);
  WAIT_UNTIL(LOAD(waiting) == 3);
  STORE(word, 1);
  futex(&word, FUTEX_WAKE_PRIVATE, 100, NULL, NULL, 0);
  for (int i = 0; i < 3; i++) join(threads[i]);
  TEST_EQ(done, 3);
  threads[0] = start(bit_waiter, (void*)1);
  threads[1] = start(bit_waiter, (void*)2);
  while (futex(&other, FUTEX_WAKE_BITSET_PRIVATE, 100, NULL, NULL, 2) != 1) sleep_ms(1);
  join(threads[1]);
  TEST_EQ(done, 4);
  while (futex(&other, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void*)100, &word, 0) != 1) sleep_ms(1);
  TEST_EQ(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0), 1);
  join(threads[0]);
  TEST_ERRNO(futex(&word, 99, 0, NULL, NULL, 0), ENOSYS);
  return passed();
}
