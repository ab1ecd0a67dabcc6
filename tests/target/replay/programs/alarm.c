// alarm: once, replaced, cancelled.
#include "program.h"

static volatile int came;
static void on_alarm(int signo) { came = signo; }

int main(void) {
  handle(SIGALRM, on_alarm, 0);
  int64_t before = now_ms();
  TEST_EQ(alarm(100), 0);
  unsigned left = alarm(1);
  TEST(left == 99 || left == 100);
  while (!came) pause();
  TEST(now_ms() - before >= 990);
  came = 0;
  alarm(50);
  TEST(alarm(0) >= 49);
  TEST_EQ(alarm(0), 0);
  printf("waited %ld ms\n", (long)(now_ms() - before));
  return passed();
}
