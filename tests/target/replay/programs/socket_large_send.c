// A megabyte in one write, one sendto and one sendmsg through a stream socket pair, read by another thread.
#include <sys/socket.h>
#include <sys/uio.h>

#include "program.h"

enum { kSize = 1 << 20 };
static unsigned char sent[kSize], received[kSize];
static int fds[2];

static void* reader(void* unused) {
  for (int i = 0; i < 4; i++) {
    size_t done = 0;
    while (done < kSize) {
      ssize_t n = recv(fds[1], received + done, kSize - done < 70000 ? kSize - done : 70000, 0);
      TEST(n > 0);
      done += (size_t)n;
    }
    TEST(memcmp(sent, received, kSize) == 0);
  }
  return unused;
}

int main(void) {
  fill(sent, kSize, 11);
  struct iovec parts[3] = {{sent, 500000}, {sent + 500000, 7}, {sent + 500007, kSize - 500007}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
  TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  pthread_t other = start(reader, NULL);
  TEST_EQ(write(fds[0], sent, kSize), kSize);
  TEST_EQ(sendto(fds[0], sent, kSize, 0, NULL, 0), kSize);
  TEST_EQ(sendmsg(fds[0], &message, 0), kSize);
  TEST_EQ(writev(fds[0], parts, 3), kSize);
  join(other);
  return passed();
}
