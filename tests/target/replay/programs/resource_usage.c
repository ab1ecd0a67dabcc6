// getrusage, times, clock: they grow while the program computes, and never shrink.
#include <sys/resource.h>
#include <sys/times.h>

#include "program.h"

int main(void) {
  struct rusage a, b;
  struct tms ta, tb;
  TEST_EQ(getrusage(RUSAGE_SELF, &a), 0);
  clock_t ca = clock(), ticks = times(&ta);
  volatile unsigned long work = 0;
  for (long i = 0; i < 50000000; i++) work = work * 3 + 1;
  TEST_EQ(getrusage(RUSAGE_SELF, &b), 0);
  clock_t cb = clock();
  TEST(times(&tb) >= ticks);
  TEST(cb >= ca && tb.tms_utime >= ta.tms_utime);
  long used = (b.ru_utime.tv_sec - a.ru_utime.tv_sec) * 1000000L + b.ru_utime.tv_usec - a.ru_utime.tv_usec;
  TEST(used >= 0);
  TEST(b.ru_maxrss > 0);
  TEST_EQ(getrusage(RUSAGE_THREAD, &a), 0);
  TEST_EQ(getrusage(RUSAGE_CHILDREN, &a), 0);
  printf("used %ld us, %ld clocks, faults %ld\n", used, (long)(cb - ca), b.ru_minflt);
  return passed();
}
