// Who sent it: SO_PASSCRED and SCM_CREDENTIALS, from this process and from a child.
#include <sys/socket.h>

#include "program.h"

static pid_t receive_from(int fd) {
  char c, control[256] __attribute__((aligned(8)));
  struct iovec part = {&c, 1};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  TEST_EQ(recvmsg(fd, &m, 0), 1);
  struct cmsghdr* header = CMSG_FIRSTHDR(&m);
  TEST(header != NULL && header->cmsg_type == SCM_CREDENTIALS);
  struct ucred cred;
  memcpy(&cred, CMSG_DATA(header), sizeof cred);
  TEST_EQ(cred.uid, getuid());
  return cred.pid;
}

int main(void) {
  int fds[2], on = 1;
  TEST_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
  TEST_EQ(setsockopt(fds[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
  TEST_EQ(write(fds[0], "m", 1), 1);
  TEST_EQ(receive_from(fds[1]), getpid());
  pid_t pid = fork();
  if (pid == 0) _exit(write(fds[0], "c", 1) == 1 ? 0 : 1);
  TEST_EQ(receive_from(fds[1]), pid);
  TEST_EQ(wait_for(pid), 0);
  printf("child was %d\n", pid);
  return passed();
}
