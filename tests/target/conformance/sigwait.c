// sigwait, sigwaitinfo, sigtimedwait, sigsuspend, pause, signalfd in threads.
#include <sys/signalfd.h>

#include "check.h"

static sigset_t set_of(int first, int second) {
  sigset_t set;
  sigemptyset(&set);
  if (first) sigaddset(&set, first);
  if (second) sigaddset(&set, second);
  return set;
}
static void block(void) {
  sigset_t set = set_of(SIGUSR1, SIGUSR2);
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
}

static int got, ready;
static void* wait_for_usr1(void* unused) {
  sigset_t set = set_of(SIGUSR1, 0);
  int signal_number = 0;
  STORE(ready, 1);
  CHECK_OK(sigwait(&set, &signal_number));
  CHECK_EQ(signal_number, SIGUSR1);
  ADD(got, 1);
  return unused;
}

static void a_process_signal_ends_the_wait(void) {
  block();
  got = ready = 0;
  pthread_t thread = start(wait_for_usr1, NULL);
  WAIT_UNTIL(LOAD(ready));
  sleep_ms(5);
  CHECK_EQ(LOAD(got), 0);
  CHECK_OK(kill(getpid(), SIGUSR1));
  join(thread);
  CHECK_EQ(got, 1);
}

static void a_thread_signal_ends_the_wait(void) {
  block();
  got = ready = 0;
  pthread_t thread = start(wait_for_usr1, NULL);
  CHECK_OK(pthread_kill(thread, SIGUSR1));
  join(thread);
  CHECK_EQ(got, 1);
}

static void each_signal_ends_one_wait(void) {
  pthread_t threads[3];
  block();
  got = 0;
  for (int i = 0; i < 3; i++) threads[i] = start(wait_for_usr1, NULL);
  for (int i = 1; i <= 3; i++) {
    CHECK_OK(kill(getpid(), SIGUSR1));
    WAIT_UNTIL(LOAD(got) == i);
  }
  for (int i = 0; i < 3; i++) join(threads[i]);
}

static void a_pending_signal_is_taken_at_once(void) {
  sigset_t set = set_of(SIGUSR1, SIGUSR2), pending;
  int signal_number = 0;
  block();
  CHECK_OK(raise(SIGUSR2));
  CHECK_OK(sigwait(&set, &signal_number));
  CHECK_EQ(signal_number, SIGUSR2);
  CHECK_OK(sigpending(&pending));
  CHECK(!sigismember(&pending, SIGUSR2));
}

static void information_and_timeouts(void) {
  sigset_t set = set_of(SIGUSR1, 0);
  siginfo_t info;
  block();
  CHECK_OK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 7}));
  CHECK_EQ(sigwaitinfo(&set, &info), SIGUSR1);
  CHECK_EQ(info.si_code, SI_QUEUE);
  CHECK_EQ(info.si_value.sival_int, 7);
  CHECK_EQ(info.si_pid, getpid());
  struct timespec deadline = time_after_ms(CLOCK_MONOTONIC, 20);
  CHECK_ERRNO(sigtimedwait(&set, &info, &(struct timespec){0, 20000000}), EAGAIN);
  CHECK(is_past(CLOCK_MONOTONIC, &deadline));
  CHECK_ERRNO(sigtimedwait(&set, &info, &(struct timespec){0, 0}), EAGAIN);
  CHECK_ERRNO(sigtimedwait(&set, &info, &kBadNsec), EINVAL);
  CHECK_OK(raise(SIGUSR1));
  CHECK_EQ(sigtimedwait(&set, &info, &(struct timespec){0, 0}), SIGUSR1);
}

static int handled, ended;
static void count_signal(int signal_number) {
  (void)signal_number;
  ADD(handled, 1);
}
static void* wait_with_sigwaitinfo(void* unused) {
  sigset_t set = set_of(SIGUSR1, 0), usr2 = set_of(SIGUSR2, 0);
  (void)unused;
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &usr2, NULL));
  int result = sigwaitinfo(&set, NULL), error = errno;
  STORE(ended, 1);
  return (void*)(intptr_t)(result < 0 ? error : 0);
}

static void another_handled_signal_interrupts_sigwaitinfo(void) {
  struct sigaction action = {.sa_handler = count_signal};
  block();
  ended = 0;
  CHECK_OK(sigaction(SIGUSR2, &action, NULL));
  pthread_t thread = start(wait_with_sigwaitinfo, NULL);
  while (!LOAD(ended)) {
    CHECK_OK(pthread_kill(thread, SIGUSR2));
    sleep_ms(1);
  }
  CHECK_EQ((intptr_t)join(thread), EINTR);
  CHECK(handled >= 1);
}

static void* suspend(void* use_pause) {
  sigset_t without = set_of(SIGUSR1, 0), usr2 = set_of(SIGUSR2, 0);
  int result;
  if (use_pause) {
    CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &usr2, NULL));
    result = pause();
  } else {
    result = sigsuspend(&without);
  }
  int error = errno;
  STORE(ended, 1);
  CHECK_EQ(result, -1);
  return (void*)(intptr_t)error;
}

static void sigsuspend_and_pause(void) {
  struct sigaction action = {.sa_handler = count_signal};
  CHECK_OK(sigaction(SIGUSR2, &action, NULL));
  for (int use_pause = 0; use_pause < 2; use_pause++) {
    block();
    ended = handled = 0;
    pthread_t thread = start(suspend, use_pause ? &action : NULL);
    if (use_pause) {
      while (!LOAD(ended)) {
        CHECK_OK(pthread_kill(thread, SIGUSR2));
        sleep_ms(1);
      }
    } else {
      // Blocked until sigsuspend opens the mask, so one signal cannot be lost.
      CHECK_OK(pthread_kill(thread, SIGUSR2));
    }
    CHECK_EQ((intptr_t)join(thread), EINTR);
    CHECK(handled >= 1);
  }
}

static void* send_usr1(void* unused) {
  sleep_ms(5);
  CHECK_OK(kill(getpid(), SIGUSR1));
  return unused;
}

static void signalfd_in_a_thread(void) {
  sigset_t set = set_of(SIGUSR1, 0);
  struct signalfd_siginfo info;
  block();
  int fd = signalfd(-1, &set, 0);
  CHECK(fd >= 0);
  pthread_t thread = start(send_usr1, NULL);
  CHECK_EQ(read(fd, &info, sizeof info), sizeof info);
  CHECK_EQ(info.ssi_signo, SIGUSR1);
  join(thread);
  close(fd);
}

CHECK_MAIN(CASE(a_process_signal_ends_the_wait), CASE(a_thread_signal_ends_the_wait), CASE(each_signal_ends_one_wait),
           CASE(a_pending_signal_is_taken_at_once), CASE(information_and_timeouts),
           CASE(another_handled_signal_interrupts_sigwaitinfo), CASE(sigsuspend_and_pause),
           CASE(signalfd_in_a_thread))
