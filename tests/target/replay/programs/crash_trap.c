// ends: 133 (SIGTRAP), a breakpoint without a debugger.
#include "program.h"

int main(void) {
  puts("before");
  __asm__ volatile("int3");
  return passed();
}
