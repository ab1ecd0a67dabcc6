// TCP on the loopback interface between two threads: accept and connect block, names, options, a large transfer.
#include <arpa/inet.h>
#include <netinet/tcp.h>

#include "program.h"

enum { kSize = 1 << 20 };
static unsigned char data[kSize], got[kSize];
static int listener;

static void* server(void* unused) {
  struct sockaddr_in peer;
  socklen_t size = sizeof peer;
  int fd = accept(listener, (struct sockaddr*)&peer, &size);
  TEST(fd >= 0);
  TEST_EQ(peer.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  write_all(fd, data, kSize);
  char c;
  TEST_EQ(read(fd, &c, 1), 1);
  TEST_EQ(read(fd, &c, 1), 0);
  close(fd);
  return unused;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, name;
  socklen_t size = sizeof address;
  int on = 1;
  fill(data, kSize, 4);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  TEST_EQ(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
  TEST_EQ(bind(listener, (struct sockaddr*)&address, sizeof address), 0);
  TEST_EQ(listen(listener, 5), 0);
  TEST_EQ(getsockname(listener, (struct sockaddr*)&address, &size), 0);
  TEST(address.sin_port != 0);
  pthread_t other = start(server, NULL);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  TEST_EQ(connect(fd, (struct sockaddr*)&address, sizeof address), 0);
  TEST_EQ(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
  size = sizeof name;
  TEST_EQ(getpeername(fd, (struct sockaddr*)&name, &size), 0);
  TEST_EQ(name.sin_port, address.sin_port);
  TEST_EQ(recv(fd, got, kSize, MSG_WAITALL), kSize);
  TEST(memcmp(got, data, kSize) == 0);
  TEST_EQ(write(fd, "x", 1), 1);
  TEST_EQ(shutdown(fd, SHUT_RDWR), 0);
  join(other);
  size = sizeof name;
  TEST_EQ(getsockname(fd, (struct sockaddr*)&name, &size), 0);
  printf("ports %d and %d\n", ntohs(address.sin_port), ntohs(name.sin_port));
  return passed();
}
