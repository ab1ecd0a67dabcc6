// Every common cancellation point, three ways: with the request already pending, with the thread blocked in the call,
// and with cancellation disabled where the call would return (that it then does return).
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>
#include <threads.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int pipe_fds[2], sockets[2], queue;
static pthread_t sleeper;

static void unlock(void* unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);  // it was taken back before the handlers ran
}
static struct timespec far_away(void) { return time_after_ms(CLOCK_REALTIME, 600000); }

static void in_testcancel(void) {
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}
static void in_cond_wait(void) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  for (;;) pthread_cond_wait(&cond, &mutex);
  pthread_cleanup_pop(1);
}
static void in_cond_timedwait(void) {
  struct timespec deadline = far_away();
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  for (;;) pthread_cond_timedwait(&cond, &mutex, &deadline);
  pthread_cleanup_pop(1);
}
static void in_cond_clockwait(void) {
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 600000);
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  for (;;) pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &deadline);
  pthread_cleanup_pop(1);
}
static void in_sem_wait(void) { sem_wait(&sem); }
static void in_sem_timedwait(void) {
  struct timespec deadline = far_away();
  sem_timedwait(&sem, &deadline);
}
static void in_sem_clockwait(void) {
  struct timespec deadline = far_away();
  sem_clockwait(&sem, CLOCK_REALTIME, &deadline);
}
static void in_join(void) { pthread_join(sleeper, NULL); }
static void in_timedjoin(void) {
  struct timespec deadline = far_away();
  pthread_timedjoin_np(sleeper, NULL, &deadline);
}
static void in_sleep(void) { sleep(600); }
static void in_usleep(void) { usleep(600000000); }
static void in_nanosleep(void) { nanosleep(&(struct timespec){600, 0}, NULL); }
static void in_clock_nanosleep(void) { clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){600, 0}, NULL); }
static void in_thrd_sleep(void) { thrd_sleep(&(struct timespec){600, 0}, NULL); }
static void in_read(void) {
  char byte;
  if (read(pipe_fds[0], &byte, 1) < 0) return;
}
static void in_readv(void) {
  char byte;
  struct iovec part = {&byte, 1};
  if (readv(pipe_fds[0], &part, 1) < 0) return;
}
static void in_write(void) {
  static char block[1 << 20];
  int own[2];
  if (pipe(own) < 0) return;
  while (write(own[1], block, sizeof block) > 0) continue;
}
static void in_recv(void) {
  char byte;
  recv(sockets[0], &byte, 1, 0);
}
static void in_recvfrom(void) {
  char byte;
  recvfrom(sockets[0], &byte, 1, 0, NULL, NULL);
}
static void in_recvmsg(void) {
  char byte;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  recvmsg(sockets[0], &message, 0);
}
static void in_poll(void) { poll(&(struct pollfd){pipe_fds[0], POLLIN, 0}, 1, -1); }
static void in_ppoll(void) { ppoll(&(struct pollfd){pipe_fds[0], POLLIN, 0}, 1, NULL, NULL); }
static void in_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(pipe_fds[0], &set);
  select(pipe_fds[0] + 1, &set, NULL, NULL, NULL);
}
static void in_pselect(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(pipe_fds[0], &set);
  pselect(pipe_fds[0] + 1, &set, NULL, NULL, NULL, NULL);
}
static void in_epoll_wait(void) {
  struct epoll_event event;
  epoll_wait(epoll_create1(0), &event, 1, -1);
}
static void in_pause(void) { pause(); }
static sigset_t only_usr2(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return set;
}
static void in_sigwait(void) {
  sigset_t set = only_usr2();
  int signal_number;
  sigwait(&set, &signal_number);
}
static void in_sigwaitinfo(void) {
  sigset_t set = only_usr2();
  sigwaitinfo(&set, NULL);
}
static void in_sigtimedwait(void) {
  sigset_t set = only_usr2();
  sigtimedwait(&set, NULL, &(struct timespec){600, 0});
}
static void in_sigsuspend(void) {
  sigset_t set;
  sigemptyset(&set);
  sigsuspend(&set);
}
static void in_accept(void) {
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr address = {.sa_family = AF_UNIX};
  bind(listener, &address, sizeof(sa_family_t));
  listen(listener, 1);
  accept(listener, NULL, NULL);
}
static void in_waitpid(void) {
  pid_t child = fork();
  if (child == 0) {
    sleep(2);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}
static void in_msgrcv(void) {
  struct {
    long type;
    char text[8];
  } message;
  msgrcv(queue, &message, 8, 0, 0);
}
static void in_fcntl_lock(void) {
  // Blocking file locks conflict between open file descriptions only.
  char path[] = "/tmp/xbdbg-conformance-XXXXXX";
  int first = mkstemp(path), second = open(path, O_RDWR);
  unlink(path);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  fcntl(first, F_OFD_SETLKW, &lock);
  fcntl(second, F_OFD_SETLKW, &lock);
}

struct Point {
  const char* name;
  void (*block)(void);
};
#define POINT(function) \
  { #function, function }
static const struct Point points[] = {
    POINT(in_testcancel),      POINT(in_cond_wait),    POINT(in_cond_timedwait),
    POINT(in_cond_clockwait),  POINT(in_sem_wait),     POINT(in_sem_timedwait),
    POINT(in_sem_clockwait),   POINT(in_join),         POINT(in_timedjoin),
    POINT(in_sleep),           POINT(in_usleep),       POINT(in_nanosleep),
    POINT(in_clock_nanosleep), POINT(in_thrd_sleep),   POINT(in_read),
    POINT(in_readv),           POINT(in_write),        POINT(in_recv),
    POINT(in_recvfrom),        POINT(in_recvmsg),      POINT(in_poll),
    POINT(in_ppoll),           POINT(in_select),       POINT(in_pselect),
    POINT(in_epoll_wait),      POINT(in_pause),        POINT(in_sigwait),
    POINT(in_sigwaitinfo),     POINT(in_sigtimedwait), POINT(in_sigsuspend),
    POINT(in_accept),          POINT(in_waitpid),      POINT(in_msgrcv),
    POINT(in_fcntl_lock),
};
enum { kPoints = sizeof points / sizeof points[0] };

static int running;
static void* sleep_until_told(void* unused) {
  while (LOAD(running)) sleep_ms(1);
  return unused;
}
static void remove_queue(void) { msgctl(queue, IPC_RMID, NULL); }
static void set_up(void) {
  static int done;
  sigset_t set = only_usr2();
  if (done++) return;
  queue = msgget(IPC_PRIVATE, 0600);
  atexit(remove_queue);
  CHECK_OK(sem_init(&sem, 0, 0));
  CHECK_OK(pipe(pipe_fds));
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
}

static int started, cleaned;
static void count_cleanup(void* unused) {
  (void)unused;
  ADD(cleaned, 1);
}
static void* block_in_point(void* argument) {
  const struct Point* point = argument;
  pthread_cleanup_push(count_cleanup, NULL);
  STORE(started, 1);
  point->block();
  pthread_cleanup_pop(0);
  return NULL;
}
static void* block_with_request_pending(void* argument) {
  const struct Point* point = argument;
  pthread_cleanup_push(count_cleanup, NULL);
  CHECK_OK(pthread_cancel(pthread_self()));
  point->block();
  pthread_cleanup_pop(0);
  return NULL;
}

static void run_all(void* (*body)(void*), int cancel_from_outside) {
  set_up();
  STORE(running, 1);
  sleeper = start(sleep_until_told, NULL);
  for (int i = 0; i < kPoints; i++) {
    started = cleaned = 0;
    pthread_t thread = start(body, (void*)&points[i]);
    if (cancel_from_outside) {
      WAIT_UNTIL(LOAD(started));
      sleep_ms(5);
      CHECK_OK(pthread_cancel(thread));
    }
    int ok = CHECK(join(thread) == PTHREAD_CANCELED);
    ok &= CHECK_EQ(cleaned, 1);
    if (!ok) printf("  %s\n", points[i].name);
    CHECK_OK(pthread_mutex_trylock(&mutex));
    CHECK_OK(pthread_mutex_unlock(&mutex));
  }
  STORE(running, 0);
  join(sleeper);
}

static void blocked_threads_are_cancelled(void) { run_all(block_in_point, 1); }
static void pending_requests_act(void) { run_all(block_with_request_pending, 0); }

static void* disabled_thread(void* unused) {
  char byte = 0;
  struct timespec soon = time_after_ms(CLOCK_REALTIME, 5);
  CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
  CHECK_OK(pthread_cancel(pthread_self()));
  sleep_ms(1);
  CHECK_OK(sem_wait(&sem));
  CHECK_ERRNO(sem_timedwait(&sem, &soon), ETIMEDOUT);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_EQ(read(pipe_fds[0], &byte, 1), 1);
  CHECK_EQ(byte, 'x');
  CHECK_EQ(poll(NULL, 0, 1), 0);
  pthread_testcancel();
  return unused;
}

static void disabled_calls_return_as_usual(void) {
  set_up();
  CHECK_OK(sem_post(&sem));
  CHECK_EQ(write(pipe_fds[1], "x", 1), 1);
  CHECK_EQ((intptr_t)in_thread(disabled_thread, (void*)4), 4);
}

CHECK_MAIN(CASE(blocked_threads_are_cancelled), CASE(pending_requests_act), CASE(disabled_calls_return_as_usual))
