// Several threads wait at one epoll for eventfds that another thread counts up.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "program.h"

enum { kWorkers = 4, kEvents = 5 };
static int epoll, events[kEvents], finish;
static long total;

static void* worker(void* unused) {
  for (;;) {
    struct epoll_event e;
    TEST_EQ(epoll_wait(epoll, &e, 1, -1), 1);
    if (e.data.fd == finish) return unused;
    uint64_t count;
    if (read(e.data.fd, &count, sizeof count) == sizeof count)
      ADD(total, (long)count);
    else
      TEST_EQ(errno, EAGAIN);  // another worker was faster
  }
}

int main(void) {
  pthread_t threads[kWorkers];
  epoll = epoll_create1(0);
  for (int i = 0; i < kEvents; i++) {
    events[i] = eventfd(0, EFD_NONBLOCK);
    struct epoll_event e = {EPOLLIN, {.fd = events[i]}};
    TEST_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, events[i], &e), 0);
  }
  finish = eventfd(0, 0);
  for (int i = 0; i < kWorkers; i++) threads[i] = start(worker, NULL);
  for (long i = 1; i <= 100; i++) {
    uint64_t value = (uint64_t)i;
    TEST_EQ(write(events[i % kEvents], &value, sizeof value), sizeof value);
  }
  WAIT_UNTIL(LOAD(total) == 5050);
  struct epoll_event e = {EPOLLIN, {.fd = finish}};
  TEST_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, finish, &e), 0);
  TEST_EQ(eventfd_write(finish, 1), 0);
  for (int i = 0; i < kWorkers; i++) join(threads[i]);
  return passed();
}
