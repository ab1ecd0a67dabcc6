// Options of sockets that can be set and read, and of which kind a socket is.
#include <arpa/inet.h>
#include <netinet/tcp.h>

#include "program.h"

static int option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  TEST_EQ(getsockopt(fd, level, name, &value, &size), 0);
  TEST_EQ(size, sizeof value);
  return value;
}

int main(void) {
  int on = 1, size = 50000;
  int fd = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
  TEST_EQ(option(fd, SOL_SOCKET, SO_TYPE), SOCK_STREAM);
  TEST_EQ(option(udp, SOL_SOCKET, SO_TYPE), SOCK_DGRAM);
  TEST_EQ(option(fd, SOL_SOCKET, SO_DOMAIN), AF_INET);
  TEST_EQ(option(fd, SOL_SOCKET, SO_PROTOCOL), IPPROTO_TCP);
  TEST_EQ(option(fd, SOL_SOCKET, SO_ACCEPTCONN), 0);
  TEST_EQ(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on), 0);
  TEST_EQ(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
  TEST_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
  TEST(option(fd, SOL_SOCKET, SO_SNDBUF) >= 50000);
  TEST_EQ(setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &size, sizeof size) == 0 || errno == EINVAL, 1);
  TEST_EQ(setsockopt(udp, SOL_SOCKET, SO_BROADCAST, &on, sizeof on), 0);
  struct linger linger = {1, 5}, got = {0, 0};
  socklen_t got_size = sizeof got;
  TEST_EQ(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger), 0);
  TEST_EQ(getsockopt(fd, SOL_SOCKET, SO_LINGER, &got, &got_size), 0);
  TEST(got.l_onoff == 1 && got.l_linger == 5);
  struct tcp_info info;
  got_size = sizeof info;
  TEST_EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &got_size), 0);
  printf("receive buffer %d\n", option(fd, SOL_SOCKET, SO_RCVBUF));
  TEST_ERRNO(setsockopt(fd, SOL_SOCKET, 9999, &on, sizeof on), ENOPROTOOPT);
  TEST_ERRNO(getsockopt(0, SOL_SOCKET, SO_TYPE, &on, &got_size), ENOTSOCK);
  TEST_ERRNO(socket(AF_INET, 77, 0), EINVAL);
  return passed();
}
