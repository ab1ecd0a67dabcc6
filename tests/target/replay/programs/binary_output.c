// Every byte value, zeros among them, in large pieces.
#include <sys/uio.h>

#include "program.h"

int main(void) {
  static unsigned char bytes[100000];
  fill(bytes, sizeof bytes, 5);
  write_all(1, bytes, sizeof bytes);
  struct iovec parts[2] = {{bytes, 1000}, {bytes + 50000, 3000}};
  TEST_EQ(writev(1, parts, 2), 4000);
  TEST_EQ(write(1, "\n", 1), 1);
  return passed();
}
