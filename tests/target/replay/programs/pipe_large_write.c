// One write of a megabyte into a pipe that another thread reads: it returns when everything is in, in order.
#include "program.h"

enum { kSize = 1 << 20 };
static unsigned char sent[kSize], received[kSize];
static int fds[2];

static void* writer(void* unused) {
  TEST_EQ(write(fds[1], sent, kSize), kSize);
  close(fds[1]);
  return unused;
}

int main(void) {
  fill(sent, kSize, 7);
  TEST_EQ(pipe(fds), 0);
  pthread_t other = start(writer, NULL);
  size_t done = 0;
  for (ssize_t n; (n = read(fds[0], received + done, 5000)) > 0;) done += (size_t)n;
  join(other);
  TEST_EQ(done, kSize);
  TEST(memcmp(sent, received, kSize) == 0);
  printf("hash %016llx\n", (unsigned long long)hash_of(received, kSize));
  return passed();
}
