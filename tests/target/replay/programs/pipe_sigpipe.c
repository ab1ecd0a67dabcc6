// Writing to a pipe nobody reads raises SIGPIPE in the thread that writes; MSG_NOSIGNAL prevents it on a socket.
#include <sys/socket.h>

#include "program.h"

static volatile int caught, in_thread;
static pthread_t writer_thread;

static void on_pipe(int signo) {
  caught += signo == SIGPIPE;
  in_thread = pthread_equal(pthread_self(), writer_thread);
}

static void* writer(void* fd) {
  writer_thread = pthread_self();
  TEST_ERRNO(write(*(int*)fd, "x", 1), EPIPE);
  return NULL;
}

int main(void) {
  int fds[2];
  handle(SIGPIPE, on_pipe, 0);
  TEST_EQ(pipe(fds), 0);
  close(fds[0]);
  join(start(writer, &fds[1]));
  TEST_EQ(caught, 1);
  TEST(in_thread);
  TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  close(fds[0]);
  TEST_ERRNO(send(fds[1], "x", 1, MSG_NOSIGNAL), EPIPE);
  TEST_EQ(caught, 1);
  TEST_ERRNO(send(fds[1], "x", 1, 0), EPIPE);
  TEST_EQ(caught, 2);
  return passed();
}
