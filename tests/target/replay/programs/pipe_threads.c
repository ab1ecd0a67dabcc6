// Two threads talk through two pipes, each blocking in read until the other has written.
#include "program.h"

static int there[2], back[2];

static void* answer(void* unused) {
  int number;
  while (read(there[0], &number, sizeof number) == sizeof number) {
    number = number * 2 + 1;
    TEST_EQ(write(back[1], &number, sizeof number), sizeof number);
  }
  close(back[1]);
  return unused;
}

int main(void) {
  TEST_EQ(pipe(there), 0);
  TEST_EQ(pipe(back), 0);
  pthread_t other = start(answer, NULL);
  int number = 0;
  for (int i = 0; i < 200; i++) {
    TEST_EQ(write(there[1], &i, sizeof i), sizeof i);
    TEST_EQ(read(back[0], &number, sizeof number), sizeof number);
    TEST_EQ(number, 2 * i + 1);
  }
  close(there[1]);
  TEST_EQ(read(back[0], &number, sizeof number), 0);
  join(other);
  printf("last %d\n", number);
  return passed();
}
