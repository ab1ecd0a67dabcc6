// sendmmsg and recvmmsg: several messages in one call, with a timeout, waiting for one.
#include <sys/socket.h>

#include "program.h"

static int fds[2];

static void* late_sender(void* unused) {
  sleep_ms(10);
  TEST_EQ(send(fds[0], "late", 4, 0), 4);
  return unused;
}

int main(void) {
  char out[3][8] = {"one", "two", "three"}, in[4][8];
  struct iovec out_parts[3], in_parts[4];
  struct mmsghdr send_all[3] = {0}, receive[4] = {0};
  for (int i = 0; i < 3; i++) {
    out_parts[i] = (struct iovec){out[i], strlen(out[i])};
    send_all[i].msg_hdr.msg_iov = &out_parts[i];
    send_all[i].msg_hdr.msg_iovlen = 1;
  }
  for (int i = 0; i < 4; i++) {
    in_parts[i] = (struct iovec){in[i], sizeof in[i]};
    receive[i].msg_hdr.msg_iov = &in_parts[i];
    receive[i].msg_hdr.msg_iovlen = 1;
  }
  TEST_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
  TEST_EQ(sendmmsg(fds[0], send_all, 3, 0), 3);
  TEST_EQ(send_all[2].msg_len, 5);
  TEST_EQ(recvmmsg(fds[1], receive, 4, MSG_DONTWAIT, NULL), 3);
  TEST_EQ(receive[2].msg_len, 5);
  TEST(memcmp(in[2], "three", 5) == 0);
  TEST_ERRNO(recvmmsg(fds[1], receive, 4, MSG_DONTWAIT, NULL), EAGAIN);
  pthread_t other = start(late_sender, NULL);
  struct timespec timeout = {10, 0};
  TEST_EQ(recvmmsg(fds[1], receive, 4, MSG_WAITFORONE, &timeout), 1);
  TEST_EQ(receive[0].msg_len, 4);
  join(other);
  return passed();
}
