// splice and tee wait for the pipe, while other threads fill it.
#include "program.h"

static int one[2], two[2];

static void* mover(void* unused) {
  for (ssize_t n; (n = splice(one[0], NULL, two[1], NULL, 4096, 0)) > 0;) continue;
  close(two[1]);
  return unused;
}

int main(void) {
  static unsigned char sent[200000], got[200000];
  fill(sent, sizeof sent, 2);
  TEST_EQ(pipe(one), 0);
  TEST_EQ(pipe(two), 0);
  pthread_t other = start(mover, NULL);
  size_t in = 0, out = 0;
  while (out < sizeof sent) {
    size_t n = sizeof sent - in < 3000 ? sizeof sent - in : 3000;
    if (n > 0) write_all(one[1], sent + in, n);
    in += n;
    read_all(two[0], got + out, n);
    out += n;
  }
  close(one[1]);
  TEST_EQ(read(two[0], got, 1), 0);
  join(other);
  got[0] = sent[0];
  TEST(memcmp(sent, got, sizeof sent) == 0);
  return passed();
}
