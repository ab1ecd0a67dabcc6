// Unix stream sockets with a name and with an abstract one: a server thread, names, credentials, shutdown.
#include <sys/socket.h>
#include <sys/un.h>

#include "program.h"

static void* server(void* argument) {
  int listener = *(int*)argument;
  char buffer[64];
  struct sockaddr_un peer;
  socklen_t size = sizeof peer;
  int fd = accept4(listener, (struct sockaddr*)&peer, &size, SOCK_CLOEXEC);
  TEST(fd >= 0);
  struct ucred cred;
  socklen_t cred_size = sizeof cred;
  TEST_EQ(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &cred_size), 0);
  TEST_EQ(cred.pid, getpid());
  for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) TEST_EQ(send(fd, buffer, (size_t)n, 0), n);
  TEST_EQ(send(fd, "bye", 3, 0), 3);
  close(fd);
  return NULL;
}

static void talk(struct sockaddr_un* address, socklen_t size) {
  char buffer[64];
  struct sockaddr_un name;
  socklen_t name_size = sizeof name;
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
  TEST_EQ(bind(listener, (struct sockaddr*)address, size), 0);
  TEST_EQ(listen(listener, 5), 0);
  pthread_t other = start(server, &listener);
  TEST_EQ(connect(fd, (struct sockaddr*)address, size), 0);
  TEST_EQ(getpeername(fd, (struct sockaddr*)&name, &name_size), 0);
  TEST(name_size == size && name.sun_family == AF_UNIX);
  TEST_EQ(send(fd, "hello", 5, 0), 5);
  read_all(fd, buffer, 5);
  TEST(memcmp(buffer, "hello", 5) == 0);
  TEST_EQ(shutdown(fd, SHUT_WR), 0);
  read_all(fd, buffer, 3);
  TEST_EQ(recv(fd, buffer, sizeof buffer, 0), 0);
  join(other);
  close(fd);
  close(listener);
}

int main(void) {
  struct sockaddr_un address = {AF_UNIX, "socket"};
  talk(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 7));
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  TEST_ERRNO(connect(fd, (struct sockaddr*)&address, sizeof address), ECONNREFUSED);
  TEST_ERRNO(bind(fd, (struct sockaddr*)&address, sizeof address), EADDRINUSE);
  int n = snprintf(address.sun_path + 1, 60, "abstract-%d", getpid());
  address.sun_path[0] = 0;
  talk(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
  return passed();
}
