// What the processor says about itself.
#include <cpuid.h>

#include "program.h"

int main(void) {
  unsigned a, b, c, d;
  char vendor[13] = "";
  TEST(__get_cpuid(0, &a, &b, &c, &d));
  memcpy(vendor, &b, 4);
  memcpy(vendor + 4, &d, 4);
  memcpy(vendor + 8, &c, 4);
  printf("%s, leaves to %u\n", vendor, a);
  TEST(__get_cpuid(1, &a, &b, &c, &d));
  TEST(d & bit_SSE2);
  for (int i = 0; i < 100; i++) TEST(__get_cpuid(0, &a, &b, &c, &d));
  return passed();
}
