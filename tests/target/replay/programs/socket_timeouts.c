// SO_RCVTIMEO and SO_SNDTIMEO end a wait, also while other threads wait or run.
#include <sys/socket.h>

#include "program.h"

static int stop[2];

static void* bystander(void* unused) {
  char c;
  TEST_EQ(read(stop[0], &c, 1), 1);
  return unused;
}

static void* busy(void* unused) {
  for (int i = 0; i < 30; i++) sleep_ms(1);
  return unused;
}

static void timeouts(int fd) {
  static char block[1 << 16];
  char c;
  struct timeval t = {0, 20000}, got;
  socklen_t size = sizeof got;
  TEST_EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t), 0);
  TEST_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t), 0);
  TEST_EQ(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &got, &size), 0);
  TEST(got.tv_sec == 0 && got.tv_usec >= 20000 && got.tv_usec < 40000);
  int64_t before = now_ms();
  TEST_ERRNO(recv(fd, &c, 1, 0), EAGAIN);
  TEST(now_ms() - before >= 19);
  TEST_ERRNO(read(fd, &c, 1), EAGAIN);
  while (send(fd, block, sizeof block, 0) > 0) continue;
  TEST_EQ(errno, EAGAIN);
}

int main(void) {
  int one[2], two[2];
  TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, one), 0);
  TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, two), 0);
  timeouts(one[0]);
  TEST_EQ(pipe(stop), 0);
  pthread_t a = start(bystander, NULL), b = start(busy, NULL);
  timeouts(two[0]);
  TEST_EQ(write(stop[1], "x", 1), 1);
  join(a);
  join(b);
  return passed();
}
