// sendfile from a file to a file, a pipe and a socket, with and without an offset.
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "program.h"

enum { kSize = 300000 };
static unsigned char data[kSize], got[kSize];
static int sockets[2];

static void* receiver(void* unused) {
  read_all(sockets[1], got, kSize);
  return unused;
}

int main(void) {
  fill(data, kSize, 9);
  int in = open("in", O_RDWR | O_CREAT, 0600), out = open("out", O_RDWR | O_CREAT, 0600), fds[2];
  write_all(in, data, kSize);
  off_t offset = 100;
  TEST_EQ(sendfile(out, in, &offset, 1000), 1000);
  TEST_EQ(offset, 1100);
  TEST_EQ(lseek(in, 10, SEEK_SET), 10);
  TEST_EQ(pipe(fds), 0);
  TEST_EQ(sendfile(fds[1], in, NULL, 500), 500);
  TEST_EQ(lseek(in, 0, SEEK_CUR), 510);
  read_all(fds[0], got, 500);
  TEST(memcmp(got, data + 10, 500) == 0);
  TEST_EQ(pread(out, got, 1000, 0), 1000);
  TEST(memcmp(got, data + 100, 1000) == 0);

  TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  pthread_t other = start(receiver, NULL);
  for (offset = 0; offset < kSize;) TEST(sendfile(sockets[0], in, &offset, (size_t)(kSize - offset)) > 0);
  join(other);
  TEST(memcmp(got, data, kSize) == 0);
  TEST_EQ(sendfile(out, in, &offset, 10), 0);
  return passed();
}
