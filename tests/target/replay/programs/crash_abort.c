// ends: 134 (SIGABRT), from a failed assertion.
#undef NDEBUG
#include <assert.h>

#include "program.h"

int main(void) {
  volatile int two = 2;
  puts("before the assertion");
  assert(two == 3);
  return passed();
}
