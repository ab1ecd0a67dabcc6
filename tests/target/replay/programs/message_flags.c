// MSG_PEEK, MSG_WAITALL, MSG_DONTWAIT, out-of-band data, FIONREAD on sockets.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/ioctl.h>

#include "program.h"

static int fd, peer;

static void* slow_sender(void* unused) {
  for (int i = 0; i < 10; i++) {
    TEST_EQ(send(peer, "0123456789", 10, 0), 10);
    sleep_ms(1);
  }
  return unused;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  char buffer[100];
  int waiting = 0;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  TEST_EQ(bind(listener, (struct sockaddr*)&address, size), 0);
  TEST_EQ(listen(listener, 1), 0);
  TEST_EQ(getsockname(listener, (struct sockaddr*)&address, &size), 0);
  peer = socket(AF_INET, SOCK_STREAM, 0);
  TEST_EQ(connect(peer, (struct sockaddr*)&address, size), 0);
  fd = accept(listener, NULL, NULL);
  TEST_ERRNO(recv(fd, buffer, 1, MSG_DONTWAIT), EAGAIN);
  TEST_EQ(send(peer, "abc", 3, 0), 3);
  TEST_EQ(recv(fd, buffer, 100, MSG_PEEK), 3);
  TEST_EQ(ioctl(fd, FIONREAD, &waiting), 0);
  TEST_EQ(waiting, 3);
  TEST_EQ(recv(fd, buffer, 100, 0), 3);
  TEST_EQ(send(peer, "!", 1, MSG_OOB), 1);
  struct pollfd p = {fd, POLLPRI, 0};
  TEST_EQ(poll(&p, 1, 10000), 1);
  TEST_EQ(recv(fd, buffer, 1, MSG_OOB), 1);
  TEST_EQ(buffer[0], '!');
  pthread_t other = start(slow_sender, NULL);
  TEST_EQ(recv(fd, buffer, 100, MSG_WAITALL), 100);
  join(other);
  return passed();
}
