// Handlers on an alternate stack: they run there, also after the normal stack has overflowed.
#include <setjmp.h>
#include <sys/resource.h>

#include "program.h"

static char stack[65536];
static sigjmp_buf back;
static volatile int on_it;

static int on_alternate(const void* p) { return (const char*)p >= stack && (const char*)p < stack + sizeof stack; }

static void plain(int signo) {
  stack_t now;
  TEST_EQ(sigaltstack(NULL, &now), 0);
  on_it = on_alternate(&signo) && (now.ss_flags & SS_ONSTACK);
}

static void overflow(int signo) {
  on_it = on_alternate(&signo);
  siglongjmp(back, 1);
}

__attribute__((noinline)) static int recurse(volatile char* above) {
  volatile char room[4096];
  room[0] = above[0];
  if (above[0] == 0) return 0;  // never
  return recurse(room) + room[0];
}

int main(void) {
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack}, old;
  TEST_EQ(sigaltstack(&alternate, &old), 0);
  TEST_EQ(old.ss_flags, SS_DISABLE);
  handle(SIGUSR1, plain, SA_ONSTACK);
  raise(SIGUSR1);
  TEST(on_it);
  handle(SIGUSR1, plain, 0);
  raise(SIGUSR1);
  TEST(!on_it);
  struct rlimit small = {512 << 10, 512 << 10};
  TEST_EQ(setrlimit(RLIMIT_STACK, &small), 0);
  handle(SIGSEGV, overflow, SA_ONSTACK);
  for (int i = 0; i < 2; i++) {
    volatile char start_here[1] = {1};
    if (sigsetjmp(back, 1) == 0) printf("%d\n", recurse(start_here));
    TEST(on_it);
  }
  alternate.ss_flags = SS_DISABLE;
  TEST_EQ(sigaltstack(&alternate, &old), 0);
  TEST(old.ss_sp == stack);
  return passed();
}
