// Unix datagram sockets: borders, sender's name, truncation, a full queue.
#include <sys/socket.h>
#include <sys/un.h>

#include "program.h"

static int receiver;

static void* drain(void* unused) {
  char buffer[128];
  for (int i = 0; i < 500; i++) TEST_EQ(recv(receiver, buffer, sizeof buffer, 0), 100);
  return unused;
}

int main(void) {
  struct sockaddr_un a = {AF_UNIX, "a"}, b = {AF_UNIX, "b"}, from;
  socklen_t size = sizeof from;
  char buffer[128];
  receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
  int sender = socket(AF_UNIX, SOCK_DGRAM, 0);
  TEST_EQ(bind(receiver, (struct sockaddr*)&a, sizeof a), 0);
  TEST_EQ(bind(sender, (struct sockaddr*)&b, sizeof b), 0);
  TEST_EQ(sendto(sender, "first", 5, 0, (struct sockaddr*)&a, sizeof a), 5);
  TEST_EQ(sendto(sender, "second", 6, 0, (struct sockaddr*)&a, sizeof a), 6);
  TEST_EQ(recvfrom(receiver, buffer, sizeof buffer, 0, (struct sockaddr*)&from, &size), 5);
  TEST(strcmp(from.sun_path, "b") == 0);
  TEST_EQ(recv(receiver, buffer, 3, MSG_TRUNC), 6);
  TEST_ERRNO(recv(receiver, buffer, 3, MSG_DONTWAIT), EAGAIN);
  TEST_EQ(connect(sender, (struct sockaddr*)&a, sizeof a), 0);
  pthread_t other = start(drain, NULL);
  for (int i = 0; i < 500; i++) TEST_EQ(send(sender, buffer, 100, 0), 100);
  join(other);
  return passed();
}
