// UDP on the loopback interface: senders, peeking, truncation, connected sockets, refusal.
#include <arpa/inet.h>

#include "program.h"

static int server;

static void* echo(void* unused) {
  char buffer[2000];
  struct sockaddr_in from;
  for (int i = 0; i < 20; i++) {
    socklen_t size = sizeof from;
    ssize_t n = recvfrom(server, buffer, sizeof buffer, 0, (struct sockaddr*)&from, &size);
    TEST(n >= 0);
    TEST_EQ(sendto(server, buffer, (size_t)n, 0, (struct sockaddr*)&from, size), n);
  }
  return unused;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  char buffer[2000];
  server = socket(AF_INET, SOCK_DGRAM, 0);
  TEST_EQ(bind(server, (struct sockaddr*)&address, size), 0);
  TEST_EQ(getsockname(server, (struct sockaddr*)&address, &size), 0);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  TEST_EQ(connect(fd, (struct sockaddr*)&address, size), 0);
  pthread_t other = start(echo, NULL);
  for (int i = 0; i < 20; i++) {
    memset(buffer, i, sizeof buffer);
    TEST_EQ(send(fd, buffer, (size_t)i * 70, 0), i * 70);
    TEST_EQ(recv(fd, buffer, 10, MSG_PEEK), i ? 10 : 0);
    TEST_EQ(recv(fd, buffer, 10, MSG_TRUNC), i * 70);
  }
  join(other);
  TEST_ERRNO(recv(fd, buffer, 10, MSG_DONTWAIT), EAGAIN);
  close(server);
  TEST_EQ(send(fd, "x", 1, 0), 1);
  TEST_ERRNO(recv(fd, buffer, 10, 0), ECONNREFUSED);
  printf("port %d\n", ntohs(address.sin_port));
  return passed();
}
