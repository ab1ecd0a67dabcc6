// eventfd: counter and semaphore, full and empty, blocking between threads.
#include <poll.h>
#include <sys/eventfd.h>

#include "program.h"

static int fd;

static void* adder(void* unused) {
  for (int i = 0; i < 10; i++) TEST_EQ(eventfd_write(fd, 1), 0);
  return unused;
}

int main(void) {
  eventfd_t value;
  fd = eventfd(5, EFD_CLOEXEC);
  TEST_EQ(eventfd_write(fd, 3), 0);
  TEST_EQ(eventfd_read(fd, &value), 0);
  TEST_EQ(value, 8);
  pthread_t other = start(adder, NULL);
  for (eventfd_t sum = 0; sum < 10; sum += value) TEST_EQ(eventfd_read(fd, &value), 0);
  join(other);
  TEST_ERRNO(read(fd, &value, 4), EINVAL);
  fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
  TEST_ERRNO(eventfd_read(fd, &value), EAGAIN);
  TEST_EQ(eventfd_write(fd, 2), 0);
  TEST_EQ(eventfd_read(fd, &value), 0);
  TEST_EQ(value, 1);
  TEST_EQ(eventfd_write(fd, 0xfffffffffffffffdull), 0);
  TEST_ERRNO(eventfd_write(fd, 1), EAGAIN);
  struct pollfd p = {fd, POLLIN | POLLOUT, 0};
  TEST_EQ(poll(&p, 1, 0), 1);
  TEST_EQ(p.revents, POLLIN);
  return passed();
}
