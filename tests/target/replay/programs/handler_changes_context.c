// A handler that reads and changes the registers it returns to.
#include <ucontext.h>

#include "program.h"

static volatile long seen;
static void on_fault(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)info;
  ucontext_t* uc = context;
  seen = uc->uc_mcontext.gregs[REG_RBX];
  uc->uc_mcontext.gregs[REG_RAX] = 4711;
  uc->uc_mcontext.gregs[REG_RIP] += 2;  // over the ud2
}

static void on_user(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)info;
  ucontext_t* uc = context;
  sigaddset(&uc->uc_sigmask, SIGUSR2);  // blocked from here on
}

int main(void) {
  long result = 0;
  sigset_t now;
  handle_info(SIGILL, on_fault, 0);
  __asm__ volatile("mov $77, %%rbx\nxor %%eax, %%eax\nud2\nmov %%rax, %0" : "=r"(result) : : "rax", "rbx");
  TEST_EQ(seen, 77);
  TEST_EQ(result, 4711);
  handle_info(SIGUSR1, on_user, 0);
  raise(SIGUSR1);
  TEST_EQ(sigprocmask(SIG_BLOCK, NULL, &now), 0);
  TEST(sigismember(&now, SIGUSR2));
  return passed();
}
