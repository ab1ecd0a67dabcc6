// The processor's time stamp counter, by rdtsc and rdtscp.
#include <x86intrin.h>

#include "program.h"

int main(void) {
  unsigned aux;
  unsigned long long last = __rdtsc(), sum = 0;
  for (int i = 0; i < 2000; i++) {
    unsigned long long now = i % 2 ? __rdtscp(&aux) : __rdtsc();
    TEST(now >= last);
    sum += now - last;
    last = now;
  }
  TEST(sum > 0);
  printf("counter %llu, passed %llu\n", last, sum);
  return passed();
}
