// All clocks: resolutions, monotonic ones never go back, they agree with each other, sleeping takes its time.
#include <sys/time.h>

#include "program.h"

static int64_t ns_of(clockid_t clock) {
  struct timespec t;
  TEST_EQ(clock_gettime(clock, &t), 0);
  TEST(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int main(void) {
  static const clockid_t clocks[] = {CLOCK_REALTIME,          CLOCK_MONOTONIC,     CLOCK_PROCESS_CPUTIME_ID,
                                     CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
                                     CLOCK_MONOTONIC_COARSE,  CLOCK_BOOTTIME,      CLOCK_TAI};
  struct timespec t;
  for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
    TEST_EQ(clock_getres(clocks[i], &t), 0);
    int64_t last = ns_of(clocks[i]);
    printf("clock %d: %lld\n", clocks[i], (long long)last);
    for (int j = 0; j < 100; j++) {
      int64_t now = ns_of(clocks[i]);
      TEST(now >= last);
      last = now;
    }
  }
  struct timeval tv;
  TEST_EQ(gettimeofday(&tv, NULL), 0);
  TEST(llabs(ns_of(CLOCK_REALTIME) / 1000000 - tv.tv_sec * 1000LL - tv.tv_usec / 1000) < 5000);
  TEST(llabs((long long)time(NULL) - tv.tv_sec) <= 5);
  int64_t before = ns_of(CLOCK_MONOTONIC), real = ns_of(CLOCK_REALTIME);
  usleep(20000);
  TEST(ns_of(CLOCK_MONOTONIC) - before >= 20000000);
  TEST(ns_of(CLOCK_REALTIME) - real >= 19000000);
  TEST_ERRNO(clock_gettime(99, &t), EINVAL);
  clockid_t cpu;
  TEST_EQ(clock_getcpuclockid(0, &cpu), 0);
  TEST(ns_of(cpu) > 0);
  return passed();
}
