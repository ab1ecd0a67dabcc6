// ends: 132 (SIGILL)
#include "program.h"

int main(void) {
  puts("before");
  __asm__ volatile("ud2");
  return passed();
}
