// A thread waits in select, another in poll, for what the main thread writes after a while.
#include <poll.h>
#include <sys/select.h>

#include "program.h"

static int one[2], two[2], order;

static void* selecting(void* unused) {
  fd_set in;
  FD_ZERO(&in);
  FD_SET(one[0], &in);
  TEST_EQ(select(one[0] + 1, &in, NULL, NULL, NULL), 1);
  TEST(LOAD(order) >= 1);
  return unused;
}

static void* polling(void* unused) {
  struct pollfd p = {two[0], POLLIN, 0};
  TEST_EQ(poll(&p, 1, 20000), 1);
  TEST(LOAD(order) >= 2);
  return unused;
}

int main(void) {
  TEST_EQ(pipe(one), 0);
  TEST_EQ(pipe(two), 0);
  pthread_t a = start(selecting, NULL), b = start(polling, NULL);
  sleep_ms(10);
  STORE(order, 1);
  TEST_EQ(write(one[1], "x", 1), 1);
  join(a);
  STORE(order, 2);
  TEST_EQ(write(two[1], "x", 1), 1);
  join(b);
  return passed();
}
