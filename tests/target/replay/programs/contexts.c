// makecontext and swapcontext: coroutines on stacks of their own.
#include <ucontext.h>

#include "program.h"

static ucontext_t main_context, a, b;
static int trace[16], steps;

static void run(int id) {
  for (int i = 0; i < 3; i++) {
    trace[steps++] = id * 10 + i;
    swapcontext(id == 1 ? &a : &b, id == 1 ? &b : &a);
  }
  trace[steps++] = id * 100;
}

int main(void) {
  static char stack_a[65536], stack_b[65536];
  getcontext(&a);
  getcontext(&b);
  a.uc_stack = (stack_t){.ss_sp = stack_a, .ss_size = sizeof stack_a};
  b.uc_stack = (stack_t){.ss_sp = stack_b, .ss_size = sizeof stack_b};
  a.uc_link = &b;
  b.uc_link = &main_context;
  makecontext(&a, (void (*)(void))run, 1, 1);
  makecontext(&b, (void (*)(void))run, 1, 2);
  TEST_EQ(swapcontext(&main_context, &a), 0);
  static const int expected[] = {10, 20, 11, 21, 12, 22, 100, 200};
  TEST_EQ(steps, 8);
  for (int i = 0; i < 8; i++) TEST_EQ(trace[i], expected[i]);
  return passed();
}
