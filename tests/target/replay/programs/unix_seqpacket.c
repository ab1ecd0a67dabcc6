// Sequenced packets over a socket pair: borders are kept, MSG_EOR and the end are seen.
#include <sys/socket.h>

#include "program.h"

static void* echo(void* argument) {
  char buffer[64];
  int fd = *(int*)argument;
  for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) TEST_EQ(send(fd, buffer, (size_t)n, MSG_EOR), n);
  close(fd);
  return NULL;
}

int main(void) {
  int fds[2];
  char buffer[64];
  TEST_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
  pthread_t other = start(echo, &fds[1]);
  for (size_t size = 1; size <= 60; size++) {
    memset(buffer, (int)size, size);
    TEST_EQ(send(fds[0], buffer, size, 0), size);
    TEST_EQ(recv(fds[0], buffer, sizeof buffer, 0), size);
    TEST_EQ(buffer[size - 1], (char)size);
  }
  TEST_EQ(shutdown(fds[0], SHUT_WR), 0);
  TEST_EQ(recv(fds[0], buffer, sizeof buffer, 0), 0);
  join(other);
  return passed();
}
