// A server with poll and several client threads, all in one process.
#include <arpa/inet.h>
#include <poll.h>

#include "program.h"

enum { kClients = 8 };
static struct sockaddr_in address = {.sin_family = AF_INET};

static void* client(void* argument) {
  long number = (long)argument, answer = 0;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  TEST_EQ(connect(fd, (struct sockaddr*)&address, sizeof address), 0);
  for (int i = 0; i < 10; i++) {
    write_all(fd, &number, sizeof number);
    read_all(fd, &answer, sizeof answer);
    TEST_EQ(answer, number * number);
  }
  close(fd);
  return NULL;
}

int main(void) {
  socklen_t size = sizeof address;
  pthread_t threads[kClients];
  struct pollfd p[kClients + 1];
  int used = 1, finished = 0;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  p[0] = (struct pollfd){socket(AF_INET, SOCK_STREAM, 0), POLLIN, 0};
  TEST_EQ(bind(p[0].fd, (struct sockaddr*)&address, sizeof address), 0);
  TEST_EQ(listen(p[0].fd, kClients), 0);
  TEST_EQ(getsockname(p[0].fd, (struct sockaddr*)&address, &size), 0);
  for (long i = 0; i < kClients; i++) threads[i] = start(client, (void*)(i + 1));
  while (finished < kClients) {
    TEST(poll(p, (nfds_t)used, 20000) > 0);
    for (int i = 1; i < used; i++) {
      long number;
      if (!p[i].revents) continue;
      ssize_t n = read(p[i].fd, &number, sizeof number);
      if (n == 0) {
        close(p[i].fd);
        p[i].fd = -1;
        finished++;
      } else {
        TEST_EQ(n, sizeof number);
        number *= number;
        write_all(p[i].fd, &number, sizeof number);
      }
    }
    if (p[0].revents) p[used++] = (struct pollfd){accept(p[0].fd, NULL, NULL), POLLIN, 0};
  }
  for (int i = 0; i < kClients; i++) join(threads[i]);
  return passed();
}
