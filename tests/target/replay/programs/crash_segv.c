// ends: 139 (SIGSEGV) after output that was never flushed by the program itself.
#include "program.h"

int main(void) {
  printf("before the crash, process %d\n", getpid());
  volatile int* volatile nowhere = NULL;
  *nowhere = 1;
  return passed();
}
