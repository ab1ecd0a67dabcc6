// Descriptors sent through a socket, to oneself and to another thread.
#include <sys/socket.h>

#include "program.h"

static int sockets[2];

static void send_descriptors(int a, int b) {
  char c = 'x', control[CMSG_SPACE(2 * sizeof(int))] __attribute__((aligned(8))) = {0};
  struct iovec part = {&c, 1};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr* header = CMSG_FIRSTHDR(&m);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(2 * sizeof(int));
  int fds[2] = {a, b};
  memcpy(CMSG_DATA(header), fds, sizeof fds);
  TEST_EQ(sendmsg(sockets[0], &m, 0), 1);
}

static void* receiver(void* result) {
  char c, control[256] __attribute__((aligned(8)));
  struct iovec part = {&c, 1};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  TEST_EQ(recvmsg(sockets[1], &m, MSG_CMSG_CLOEXEC), 1);
  TEST_EQ(m.msg_flags & MSG_CTRUNC, 0);
  struct cmsghdr* header = CMSG_FIRSTHDR(&m);
  TEST(header != NULL && header->cmsg_type == SCM_RIGHTS);
  TEST_EQ(header->cmsg_len, CMSG_LEN(2 * sizeof(int)));
  memcpy(result, CMSG_DATA(header), 2 * sizeof(int));
  TEST(CMSG_NXTHDR(&m, header) == NULL);
  return NULL;
}

int main(void) {
  int fds[2], got[2];
  char c;
  TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  TEST_EQ(pipe(fds), 0);
  pthread_t other = start(receiver, got);
  send_descriptors(fds[0], fds[1]);
  join(other);
  TEST(got[0] != fds[0]);
  TEST_EQ(fcntl(got[0], F_GETFD), FD_CLOEXEC);
  TEST_EQ(write(got[1], "!", 1), 1);
  TEST_EQ(read(fds[0], &c, 1), 1);
  TEST_EQ(c, '!');
  printf("descriptors %d and %d\n", got[0], got[1]);
  return passed();
}
