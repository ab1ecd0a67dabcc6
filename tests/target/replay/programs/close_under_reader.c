// The other end is closed, or shut down, while a thread reads: it sees the end.
#include <sys/socket.h>

#include "program.h"

static void* reader(void* argument) {
  char c;
  TEST_EQ(read(*(int*)argument, &c, 1), 0);
  return NULL;
}

int main(void) {
  int fds[2], sockets[2];
  TEST_EQ(pipe(fds), 0);
  TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  pthread_t a = start(reader, &fds[0]), b = start(reader, &sockets[0]);
  sleep_ms(5);
  close(fds[1]);
  join(a);
  TEST_EQ(shutdown(sockets[0], SHUT_RD), 0);
  join(b);
  return passed();
}
