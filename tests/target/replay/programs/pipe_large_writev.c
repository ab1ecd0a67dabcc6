// One writev of more than the pipe holds, in unequal pieces, read by another thread with readv.
#include <sys/uio.h>

#include "program.h"

enum { kSize = 700001 };
static unsigned char sent[kSize], received[kSize];
static int fds[2];

static void* writer(void* unused) {
  struct iovec parts[4] = {{sent, 1}, {sent + 1, 300000}, {sent + 300001, 0}, {sent + 300001, kSize - 300001}};
  TEST_EQ(writev(fds[1], parts, 4), kSize);
  close(fds[1]);
  return unused;
}

int main(void) {
  fill(sent, kSize, 3);
  TEST_EQ(pipe(fds), 0);
  pthread_t other = start(writer, NULL);
  size_t done = 0;
  for (;;) {
    size_t left = kSize - done, half = left / 2 < 3000 ? left / 2 : 3000;
    struct iovec parts[2] = {{received + done, half}, {received + done + half, left - half}};
    ssize_t n = readv(fds[0], parts, 2);
    TEST(n >= 0);
    if (n == 0) break;
    done += (size_t)n;
  }
  join(other);
  TEST_EQ(done, kSize);
  TEST(memcmp(sent, received, kSize) == 0);
  return passed();
}
