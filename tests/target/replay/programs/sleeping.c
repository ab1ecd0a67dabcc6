// nanosleep and clock_nanosleep, relative and until a moment; several threads sleep at once.
#include "program.h"

static void* sleeper(void* argument) {
  sleep_ms((long)argument);
  return (void*)now_ms();
}

int main(void) {
  struct timespec moment, bad = {0, 1000000000};
  clock_gettime(CLOCK_MONOTONIC, &moment);
  int64_t before = now_ms();
  moment.tv_sec += 1;
  TEST_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL), 0);
  TEST(now_ms() - before >= 999);
  TEST_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL), 0);  // it has passed
  TEST_ERRNO(nanosleep(&bad, NULL), EINVAL);
  TEST_EQ(clock_nanosleep(CLOCK_REALTIME, 0, &bad, NULL), EINVAL);
  before = now_ms();
  pthread_t a = start(sleeper, (void*)60), b = start(sleeper, (void*)20);
  int64_t end_a = (int64_t)join(a), end_b = (int64_t)join(b);
  TEST(end_b <= end_a);
  TEST(end_a - before >= 59 && end_b - before >= 19);
  TEST_EQ(sleep(0), 0);
  printf("until %lld\n", (long long)now_ms());
  return passed();
}
