// int3 is SIGTRAP, one byte further on; single stepping by the trap flag.
#include <ucontext.h>

#include "program.h"

static volatile int traps;
static volatile long where;
static void on_trap(int signo, siginfo_t* info, void* context) {
  (void)info;
  TEST_EQ(signo, SIGTRAP);
  ucontext_t* uc = context;
  where = uc->uc_mcontext.gregs[REG_RIP];
  traps++;
}

int main(void) {
  handle_info(SIGTRAP, on_trap, 0);
  long after;
  __asm__ volatile("int3\n1: lea 1b(%%rip), %0" : "=r"(after));
  TEST_EQ(traps, 1);
  TEST_EQ(where, after);
  raise(SIGTRAP);
  TEST_EQ(traps, 2);
  return passed();
}
