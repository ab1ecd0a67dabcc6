// ends: 139 (SIGSEGV): a fault while the handler for it runs is fatal, the signal being blocked.
#include "program.h"

static volatile int* volatile nowhere;

static void on_fault(int signo) {
  dprintf(1, "first %d\n", signo);
  *nowhere = 1;
}

int main(void) {
  handle(SIGSEGV, on_fault, 0);
  *nowhere = 1;
  return passed();
}
