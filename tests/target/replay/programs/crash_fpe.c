// ends: 136 (SIGFPE)
#include "program.h"

int main(void) {
  volatile int zero = 0;
  printf("%d\n", 7 / zero);
  return passed();
}
