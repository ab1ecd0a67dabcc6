// Signals in programs with threads: alternate stacks, restarting, timers of every kind, faults.
#include <semaphore.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "check.h"

static volatile int handled;
static pthread_t handled_by;
static void count_signal(int signal_number) {
  (void)signal_number;
  handled_by = pthread_self();
  ADD(handled, 1);
}
static void install(int signal_number, int flags) {
  struct sigaction action = {.sa_handler = count_signal, .sa_flags = flags};
  CHECK_OK(sigaction(signal_number, &action, NULL));
  handled = 0;
}

static __thread char* stack_low;
static __thread size_t stack_size;
static volatile int on_alternate_stack;
static void look_at_stack(int signal_number) {
  char local;
  (void)signal_number;
  on_alternate_stack = &local >= stack_low && &local < stack_low + stack_size;
  sched_yield();  // a switch while on the alternate stack
  stack_t current;
  on_alternate_stack &= sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_ONSTACK) != 0;
  ADD(handled, 1);
}
static void* use_alternate_stack(void* unused) {
  stack_t stack = {.ss_size = 64 * 1024}, old;
  stack.ss_sp = stack_low = malloc(stack.ss_size);
  stack_size = stack.ss_size;
  CHECK_OK(sigaltstack(NULL, &old));
  CHECK(old.ss_flags & SS_DISABLE);  // not inherited from the creator
  CHECK_OK(sigaltstack(&stack, NULL));
  on_alternate_stack = 0;
  CHECK_OK(raise(SIGUSR1));
  CHECK_EQ(on_alternate_stack, 1);
  CHECK_OK(sigaltstack(NULL, &old));
  CHECK(old.ss_sp == stack.ss_sp);
  stack.ss_flags = SS_DISABLE;
  CHECK_OK(sigaltstack(&stack, NULL));
  free(stack.ss_sp);
  return unused;
}

static void alternate_stacks_are_per_thread(void) {
  struct sigaction action = {.sa_handler = look_at_stack, .sa_flags = SA_ONSTACK};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  use_alternate_stack(NULL);
  for (int i = 0; i < 3; i++) in_thread(use_alternate_stack, NULL);
}

static int pipe_fds[2], ended;
static void* read_pipe(void* unused) {
  char byte = 0;
  (void)unused;
  ssize_t n = read(pipe_fds[0], &byte, 1);
  int error = errno;
  STORE(ended, 1);
  return (void*)(intptr_t)(n == 1 ? 1000 + byte : error);
}

static void read_restarts_or_is_interrupted(void) {
  CHECK_OK(pipe(pipe_fds));
  install(SIGUSR1, SA_RESTART);
  ended = 0;
  pthread_t thread = start(read_pipe, NULL);
  for (int i = 0; i < 5; i++) {
    CHECK_OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(2);
  }
  CHECK_EQ(LOAD(ended), 0);
  CHECK_EQ(write(pipe_fds[1], "z", 1), 1);
  CHECK_EQ((intptr_t)join(thread), 1000 + 'z');
  CHECK(handled >= 1);

  install(SIGUSR1, 0);
  ended = 0;
  thread = start(read_pipe, NULL);
  while (!LOAD(ended)) {
    CHECK_OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(2);
  }
  CHECK_EQ((intptr_t)join(thread), EINTR);
}

static int stop;
static void* yield_until_stopped(void* unused) {
  while (!LOAD(stop)) sched_yield();
  return unused;
}

static void alarms(void) {
  struct itimerval soon = {.it_value = {0, 20000}}, repeat = {{0, 5000}, {0, 5000}}, off = {{0, 0}, {0, 0}}, left;
  sigset_t blocked, previous;
  install(SIGALRM, 0);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGALRM);
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &blocked, &previous));
  CHECK_OK(setitimer(ITIMER_REAL, &soon, NULL));
  CHECK_ERRNO(sigsuspend(&previous), EINTR);
  CHECK_EQ(handled, 1);
  CHECK_OK(pthread_sigmask(SIG_SETMASK, &previous, NULL));
  // While other threads run, and repeatedly.
  install(SIGALRM, SA_RESTART);
  STORE(stop, 0);
  pthread_t thread = start(yield_until_stopped, NULL);
  CHECK_OK(setitimer(ITIMER_REAL, &repeat, NULL));
  WAIT_UNTIL(handled >= 3);
  CHECK_OK(setitimer(ITIMER_REAL, &off, &left));
  CHECK_EQ(left.it_interval.tv_usec, 5000);
  STORE(stop, 1);
  join(thread);
  CHECK_EQ(alarm(100), 0);
  unsigned remaining = alarm(0);
  CHECK(remaining >= 98 && remaining <= 100);
}

static void* sleep_long(void* unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
  int interrupted = nanosleep(&(struct timespec){30, 0}, NULL) < 0;
  return interrupted ? unused : NULL;
}

static void an_alarm_reaches_the_only_thread_that_takes_it(void) {
  sigset_t set;
  install(SIGALRM, 0);
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_t thread = start(sleep_long, (void*)1);
  struct itimerval soon = {.it_value = {0, 30000}};
  CHECK_OK(setitimer(ITIMER_REAL, &soon, NULL));
  WAIT_UNTIL(LOAD(handled) == 1);
  CHECK(pthread_equal(handled_by, thread));
  CHECK_OK(pthread_cancel(thread));
  void* result = join(thread);
  CHECK(result == (void*)1 || result == PTHREAD_CANCELED);
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
}

static void timers_with_signals(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  struct itimerspec soon = {.it_value = {0, 10000000}}, off = {{0, 0}, {0, 0}}, left;
  install(SIGUSR2, 0);
  CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  CHECK_OK(timer_gettime(timer, &left));
  CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
  CHECK_OK(timer_settime(timer, 0, &soon, NULL));
  WAIT_UNTIL(handled == 1);
  soon.it_interval.tv_nsec = 3000000;
  CHECK_OK(timer_settime(timer, 0, &soon, NULL));
  WAIT_UNTIL(handled >= 4);
  CHECK_OK(timer_settime(timer, 0, &off, NULL));
  CHECK(timer_getoverrun(timer) >= 0);
  CHECK_OK(timer_delete(timer));
  CHECK_ERRNO(timer_create(12345, &event, &timer), EINVAL);
}

static sem_t notified;
static volatile int notified_value;
static pthread_t notified_thread;
static void notify(union sigval value) {
  notified_value = value.sival_int;
  notified_thread = pthread_self();
  sem_post(&notified);
}

static void timers_with_threads(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 33};
  struct itimerspec soon = {.it_value = {0, 5000000}, .it_interval = {0, 5000000}};
  event.sigev_notify_function = notify;
  CHECK_OK(sem_init(&notified, 0, 0));
  CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  CHECK_OK(timer_settime(timer, 0, &soon, NULL));
  for (int i = 0; i < 3; i++) CHECK_OK(sem_wait(&notified));
  CHECK_OK(timer_delete(timer));
  CHECK_EQ(notified_value, 33);
  CHECK(!pthread_equal(notified_thread, pthread_self()));
}

static __thread sigjmp_buf recovery;
static void jump_out(int signal_number) { siglongjmp(recovery, signal_number); }
static void* fault_and_recover(void* unused) {
  for (int i = 0; i < 3; i++) {
    int caught = sigsetjmp(recovery, 1);
    if (caught == 0) {
      *(volatile int*)16 = 1;
      CHECK(!"reached after a fault");
    }
    CHECK_EQ(caught, SIGSEGV);
    sched_yield();
  }
  return unused;
}

static void a_fault_is_handled_in_the_thread_that_caused_it(void) {
  struct sigaction action = {.sa_handler = jump_out}, restore = {.sa_handler = SIG_DFL};
  pthread_t threads[3];
  CHECK_OK(sigaction(SIGSEGV, &action, NULL));
  for (int i = 0; i < 3; i++) threads[i] = start(fault_and_recover, NULL);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK_OK(sigaction(SIGSEGV, &restore, NULL));
}

static char* page;
static void unprotect(int signal_number, siginfo_t* info, void* context) {
  (void)signal_number;
  (void)context;
  if (info->si_addr != page) _exit(70);
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  ADD(handled, 1);
}
static void* write_page(void* unused) {
  page[0] = 1;
  return unused;
}

static void a_fault_can_be_repaired(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO}, restore = {.sa_handler = SIG_DFL};
  action.sa_sigaction = unprotect;
  handled = 0;
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK_OK(sigaction(SIGSEGV, &action, NULL));
  in_thread(write_page, NULL);
  CHECK_EQ(handled, 1);
  CHECK_EQ(page[0], 1);
  CHECK_OK(sigaction(SIGSEGV, &restore, NULL));
}

static void child_handler(int signal_number) {
  (void)signal_number;
  ADD(handled, 1);
}
static void a_childs_death_is_signalled(void) {
  struct sigaction action = {.sa_handler = child_handler, .sa_flags = SA_RESTART};
  handled = 0;
  CHECK_OK(sigaction(SIGCHLD, &action, NULL));
  STORE(stop, 0);
  pthread_t thread = start(yield_until_stopped, NULL);
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  WAIT_UNTIL(handled == 1);
  CHECK_EQ(waitpid(pid, NULL, 0), pid);
  STORE(stop, 1);
  join(thread);
  signal(SIGCHLD, SIG_DFL);
}

static void one_shot_and_nodefer(void) {
  struct sigaction now;
  install(SIGUSR1, SA_RESETHAND);
  CHECK_OK(raise(SIGUSR1));
  CHECK_EQ(handled, 1);
  CHECK_OK(sigaction(SIGUSR1, NULL, &now));
  CHECK(now.sa_handler == SIG_DFL);
  install(SIGUSR1, SA_NODEFER);
  CHECK_OK(sigaction(SIGUSR1, NULL, &now));
  CHECK(now.sa_handler == count_signal && (now.sa_flags & SA_NODEFER));
  CHECK_ERRNO(sigaction(SIGKILL, &now, NULL), EINVAL);
  CHECK_ERRNO(sigaction(12345, &now, NULL), EINVAL);
}

CHECK_MAIN(CASE(alternate_stacks_are_per_thread), CASE(read_restarts_or_is_interrupted), CASE(alarms),
           CASE(an_alarm_reaches_the_only_thread_that_takes_it), CASE(timers_with_signals), CASE(timers_with_threads),
           CASE(a_fault_is_handled_in_the_thread_that_caused_it), CASE(a_fault_can_be_repaired),
           CASE(a_childs_death_is_signalled), CASE(one_shot_and_nodefer))
