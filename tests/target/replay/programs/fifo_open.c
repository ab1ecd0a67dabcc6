// Opening a FIFO waits for the other side, and only the thread that opens it.
#include "program.h"

static void* reader(void* unused) {
  char buffer[16] = "";
  int fd = open("fifo", O_RDONLY);
  TEST(fd >= 0);
  read_all(fd, buffer, 5);
  TEST(strcmp(buffer, "hello") == 0);
  TEST_EQ(read(fd, buffer, 1), 0);
  close(fd);
  return unused;
}

int main(void) {
  TEST_EQ(mkfifo("fifo", 0600), 0);
  TEST_ERRNO(open("fifo", O_WRONLY | O_NONBLOCK), ENXIO);
  pthread_t other = start(reader, NULL);
  int fd = open("fifo", O_WRONLY);
  TEST(fd >= 0);
  TEST_EQ(write(fd, "hello", 5), 5);
  close(fd);
  join(other);
  other = start(reader, NULL);
  sleep_ms(20);  // most likely it waits by now
  fd = open("fifo", O_WRONLY);
  TEST_EQ(write(fd, "hello", 5), 5);
  close(fd);
  join(other);
  fd = open("fifo", O_RDONLY | O_NONBLOCK);  // does not wait
  TEST(fd >= 0);
  char c;
  TEST_EQ(read(fd, &c, 1), 0);
  return passed();
}
