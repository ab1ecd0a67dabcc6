// A pipe in packet mode (O_DIRECT) keeps the borders of what was written.
#include "program.h"

int main(void) {
  int fds[2];
  char buffer[64];
  TEST_EQ(pipe2(fds, O_DIRECT | O_CLOEXEC), 0);
  TEST_EQ(write(fds[1], "one", 3), 3);
  TEST_EQ(write(fds[1], "three", 5), 5);
  TEST_EQ(read(fds[0], buffer, sizeof buffer), 3);
  TEST_EQ(read(fds[0], buffer, 2), 2);  // the rest of the packet is lost
  TEST_EQ(write(fds[1], "five", 4), 4);
  TEST_EQ(read(fds[0], buffer, sizeof buffer), 4);
  TEST(memcmp(buffer, "five", 4) == 0);
  return passed();
}
