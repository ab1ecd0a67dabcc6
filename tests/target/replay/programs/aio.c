// POSIX asynchronous I/O, which glibc makes with threads of its own.
#include <aio.h>

#include "program.h"

int main(void) {
  char out[] = "asynchronous", in[32] = "";
  int fd = open("file", O_RDWR | O_CREAT, 0600);
  struct aiocb write_it = {.aio_fildes = fd, .aio_buf = out, .aio_nbytes = 12};
  struct aiocb read_it = {.aio_fildes = fd, .aio_buf = in, .aio_nbytes = 32};
  const struct aiocb* list[] = {&write_it};
  TEST_EQ(aio_write(&write_it), 0);
  while (aio_error(&write_it) == EINPROGRESS) TEST_EQ(aio_suspend(list, 1, NULL), 0);
  TEST_EQ(aio_error(&write_it), 0);
  TEST_EQ(aio_return(&write_it), 12);
  TEST_EQ(aio_read(&read_it), 0);
  list[0] = &read_it;
  while (aio_error(&read_it) == EINPROGRESS) TEST_EQ(aio_suspend(list, 1, NULL), 0);
  TEST_EQ(aio_return(&read_it), 12);
  TEST(strcmp(in, "asynchronous") == 0);
  return passed();
}
