// A handler without SA_RESTART ends read, accept, select, poll, nanosleep, epoll_wait, waitpid and futex waits with
// EINTR; with it, read goes on. The signals come from another thread.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "program.h"

static volatile int handled, stop;
static pthread_t main_thread;
static int fds[2];

static void on_signal(int signo) {
  (void)signo;
  handled++;
}

static void* sender(void* unused) {
  while (!LOAD(stop)) {
    sleep_ms(3);
    pthread_kill(main_thread, SIGUSR1);
  }
  return unused;
}

static void* late_writer(void* unused) {
  sleep_ms(30);
  TEST_EQ(write(fds[1], "x", 1), 1);
  return unused;
}

int main(void) {
  char c;
  main_thread = pthread_self();
  handle(SIGUSR1, on_signal, 0);
  TEST_EQ(pipe(fds), 0);
  pthread_t other = start(sender, NULL);
  TEST_ERRNO(read(fds[0], &c, 1), EINTR);
  struct timespec t = {20, 0}, left = {0, 0};
  TEST_ERRNO(nanosleep(&t, &left), EINTR);
  TEST(left.tv_sec == 19);
  TEST_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), EINTR);
  struct pollfd p = {fds[0], POLLIN, 0};
  TEST_ERRNO(poll(&p, 1, -1), EINTR);
  TEST_ERRNO(ppoll(&p, 1, &t, NULL), EINTR);
  fd_set in;
  FD_ZERO(&in);
  FD_SET(fds[0], &in);
  TEST_ERRNO(select(fds[0] + 1, &in, NULL, NULL, NULL), EINTR);
  int epoll = epoll_create1(0);
  struct epoll_event e;
  TEST_ERRNO(epoll_wait(epoll, &e, 1, -1), EINTR);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr any_name = {AF_UNIX, ""};
  TEST_EQ(bind(listener, &any_name, sizeof any_name.sa_family), 0);
  TEST_EQ(listen(listener, 1), 0);
  TEST_ERRNO(accept(listener, NULL, NULL), EINTR);
  pid_t pid = fork();
  if (pid == 0) {
    pause();
    _exit(0);
  }
  TEST_ERRNO(waitpid(pid, NULL, 0), EINTR);
  TEST_EQ(kill(pid, SIGKILL), 0);
  TEST_EQ(WTERMSIG(wait_for(pid)), SIGKILL);
  TEST_ERRNO(pause(), EINTR);
  int before = handled;
  handle(SIGUSR1, on_signal, SA_RESTART);
  pthread_t writer = start(late_writer, NULL);
  TEST_EQ(read(fds[0], &c, 1), 1);
  TEST(handled > before);
  TEST_ERRNO(poll(&p, 1, -1), EINTR);  // never restarted
  STORE(stop, 1);
  join(other);
  join(writer);
  return passed();
}
