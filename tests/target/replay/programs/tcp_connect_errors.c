// Connections that are refused, blocking and not; a non-blocking one that succeeds; accept without a client.
#include <arpa/inet.h>
#include <poll.h>

#include "program.h"

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  int error = -1;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  TEST_EQ(bind(listener, (struct sockaddr*)&address, size), 0);
  TEST_EQ(getsockname(listener, (struct sockaddr*)&address, &size), 0);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  TEST_ERRNO(connect(fd, (struct sockaddr*)&address, size), ECONNREFUSED);
  TEST_EQ(listen(listener, 1), 0);
  TEST_ERRNO(accept(listener, NULL, NULL), EAGAIN);
  fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int r = connect(fd, (struct sockaddr*)&address, size);
  TEST(r == 0 || errno == EINPROGRESS);
  struct pollfd p = {fd, POLLOUT, 0};
  TEST_EQ(poll(&p, 1, 10000), 1);
  size = sizeof error;
  TEST_EQ(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size), 0);
  TEST_EQ(error, 0);
  p = (struct pollfd){listener, POLLIN, 0};
  TEST_EQ(poll(&p, 1, 10000), 1);
  int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  TEST(accepted >= 0);
  TEST(fcntl(accepted, F_GETFL) & O_NONBLOCK);
  struct linger hard = {1, 0};
  TEST_EQ(setsockopt(accepted, SOL_SOCKET, SO_LINGER, &hard, sizeof hard), 0);
  close(accepted);
  p = (struct pollfd){fd, POLLIN, 0};
  TEST_EQ(poll(&p, 1, 10000), 1);
  TEST_ERRNO(read(fd, &error, 1), ECONNRESET);
  fd = socket(AF_INET, SOCK_STREAM, 0);
  TEST_ERRNO(getpeername(fd, (struct sockaddr*)&address, &size), ENOTCONN);
  return passed();
}
