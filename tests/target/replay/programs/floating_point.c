// The floating point environment: rounding per thread, exceptions as flags and as signals, exact printing.
#include <fenv.h>
#include <math.h>
#include <setjmp.h>

#include "program.h"

static sigjmp_buf back;
static void on_fpe(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)context;
  siglongjmp(back, info->si_code);
}

static void* thread(void* unused) {
  TEST_EQ(fegetround(), FE_UPWARD);  // inherited
  TEST_EQ(fesetround(FE_DOWNWARD), 0);
  sched_yield();
  TEST_EQ(fegetround(), FE_DOWNWARD);
  return unused;
}

int main(void) {
  volatile double one = 1, three = 3, zero = 0;
  TEST_EQ(fesetround(FE_UPWARD), 0);
  volatile double up = one / three;
  join(start(thread, NULL));
  TEST_EQ(fegetround(), FE_UPWARD);
  TEST_EQ(fesetround(FE_TONEAREST), 0);
  TEST(up > one / three);
  feclearexcept(FE_ALL_EXCEPT);
  volatile double infinite = one / zero;
  TEST(isinf(infinite) && fetestexcept(FE_DIVBYZERO));
  printf("%.20g %a %.10f\n", one / three, up, sin(one));
  handle_info(SIGFPE, on_fpe, 0);
  feenableexcept(FE_DIVBYZERO);
  int code = sigsetjmp(back, 1);
  if (code == 0) {
    infinite = one / zero;
    TEST(!"no exception");
  }
  TEST_EQ(code, FPE_FLTDIV);
  return passed();
}
