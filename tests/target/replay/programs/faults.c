// Faults of the processor as signals: what siginfo says, and leaving the handler by siglongjmp.
#include <setjmp.h>

#include "program.h"

static sigjmp_buf back;
static volatile int got, code;
static void* volatile address;

static void on_fault(int signo, siginfo_t* info, void* context) {
  (void)context;
  got = signo;
  code = info->si_code;
  address = info->si_addr;
  siglongjmp(back, 1);
}

#define PROVOKE(statement, signal, expected_code) \
  do {                                            \
    got = 0;                                      \
    if (sigsetjmp(back, 1) == 0) {                \
      statement;                                  \
      TEST(!"no fault: " #statement);             \
    }                                             \
    TEST_EQ(got, signal);                         \
    TEST_EQ(code, expected_code);                 \
  } while (0)

int main(void) {
  volatile int zero = 0, result;
  volatile int* volatile nowhere = (int*)16;
  static const int constant = 5;
  handle_info(SIGSEGV, on_fault, 0);
  handle_info(SIGFPE, on_fault, 0);
  handle_info(SIGILL, on_fault, 0);
  for (int i = 0; i < 3; i++) {
    PROVOKE(result = *nowhere, SIGSEGV, SEGV_MAPERR);
    TEST(address == (void*)16);
    PROVOKE(*(volatile int*)& constant = 1, SIGSEGV, SEGV_ACCERR);
    PROVOKE(result = 100 / zero, SIGFPE, FPE_INTDIV);
    PROVOKE(__asm__ volatile("ud2"), SIGILL, ILL_ILLOPN);
  }
  (void)result;
  PROVOKE(__asm__ volatile("hlt"), SIGSEGV, SI_KERNEL);
  return passed();
}
