// pthread_kill and pthread_sigqueue: which thread handles it, what it interrupts, errors.
#include "check.h"

static volatile int handled;
static pthread_t handled_by;
static volatile int got_value;
static void count_signal(int signal_number) {
  (void)signal_number;
  handled_by = pthread_self();
  ADD(handled, 1);
}
static void store_value(int signal_number, siginfo_t* info, void* context) {
  (void)context;
  CHECK_EQ(signal_number, SIGUSR2);
  CHECK_EQ(info->si_code, SI_QUEUE);
  got_value = info->si_value.sival_int;
  count_signal(signal_number);
}
static void install(void) {
  struct sigaction action = {.sa_handler = count_signal}, with_info = {.sa_flags = SA_SIGINFO};
  with_info.sa_sigaction = store_value;
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(sigaction(SIGUSR2, &with_info, NULL));
  handled = 0;
}

static int stop;
static void* sleep_until_stopped(void* unused) {
  while (!LOAD(stop)) sleep_ms(1);
  return unused;
}
static void* yield_until_stopped(void* unused) {
  while (!LOAD(stop)) sched_yield();
  return unused;
}
static void* compute_until_stopped(void* unused) {
  while (!LOAD(stop)) continue;
  return unused;
}

static void the_target_runs_the_handler(void) {
  void* (*bodies[])(void*) = {sleep_until_stopped, yield_until_stopped, compute_until_stopped};
  for (int i = 0; i < 3; i++) {
    install();
    STORE(stop, 0);
    pthread_t thread = start(bodies[i], NULL);
    CHECK_OK(pthread_kill(thread, SIGUSR1));
    WAIT_UNTIL(LOAD(handled) == 1);
    CHECK(pthread_equal(handled_by, thread));
    STORE(stop, 1);
    join(thread);
  }
}

static void signalling_oneself_is_synchronous(void) {
  install();
  CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
  CHECK_EQ(handled, 1);
  CHECK(pthread_equal(handled_by, pthread_self()));
  CHECK_OK(raise(SIGUSR1));
  CHECK_EQ(handled, 2);
}

static void* raise_here(void* unused) {
  CHECK_OK(raise(SIGUSR1));
  CHECK(pthread_equal(handled_by, pthread_self()));
  return unused;
}

static void raise_acts_on_the_calling_thread(void) {
  install();
  in_thread(raise_here, NULL);
  CHECK_EQ(handled, 1);
}

static void queued_values(void) {
  install();
  STORE(stop, 0);
  pthread_t thread = start(sleep_until_stopped, NULL);
  CHECK_OK(pthread_sigqueue(thread, SIGUSR2, (union sigval){.sival_int = 99}));
  WAIT_UNTIL(LOAD(handled) == 1);
  CHECK_EQ(got_value, 99);
  CHECK(pthread_equal(handled_by, thread));
  STORE(stop, 1);
  join(thread);
}

static void errors(void) {
  install();
  STORE(stop, 0);
  pthread_t thread = start(sleep_until_stopped, NULL);
  CHECK_OK(pthread_kill(thread, 0));  // only a check that the thread is there
  CHECK_EQ(pthread_kill(thread, -1), EINVAL);
  CHECK_EQ(pthread_kill(thread, 12345), EINVAL);
  CHECK_EQ(pthread_kill(thread, 32), EINVAL);  // glibc's own
  CHECK_EQ(pthread_kill(thread, 33), EINVAL);
  CHECK_EQ(handled, 0);
  STORE(stop, 1);
  join(thread);
}

static int ended;
static void* end(void* unused) {
  STORE(ended, 1);
  return unused;
}

static void an_ended_thread_not_yet_joined_ignores_signals(void) {
  install();
  pthread_t thread = start(end, NULL);
  WAIT_UNTIL(LOAD(ended));
  sleep_ms(20);
  CHECK_OK(pthread_kill(thread, SIGUSR1));  // glibc 2.34 and later: no ESRCH
  CHECK_OK(pthread_kill(thread, 0));
  sleep_ms(5);
  CHECK_EQ(handled, 0);  // nobody else takes it either
  signal(SIGUSR1, SIG_DFL);
  CHECK_OK(pthread_kill(thread, SIGUSR1));  // not even the default action, which is death
  join(thread);
}

static int slept;
static void* nanosleep_once(void* unused) {
  struct timespec left = {0, 0};
  (void)unused;
  int result = nanosleep(&(struct timespec){30, 0}, &left);
  int error = errno;
  STORE(slept, 1);
  if (result == 0) return NULL;
  CHECK(left.tv_sec >= 1 && left.tv_sec <= 30);
  return (void*)(intptr_t)error;
}

static void a_handler_interrupts_nanosleep(void) {
  install();
  slept = 0;
  pthread_t thread = start(nanosleep_once, NULL);
  while (!LOAD(slept)) {
    CHECK_OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(1);
  }
  CHECK_EQ((intptr_t)join(thread), EINTR);
}

static void* lock_and_unlock(void* mutex) {
  CHECK_OK(pthread_mutex_lock(mutex));
  CHECK_OK(pthread_mutex_unlock(mutex));
  return NULL;
}

static void signals_to_a_thread_blocked_on_a_mutex(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  install();
  CHECK_OK(pthread_mutex_lock(&mutex));
  pthread_t thread = start(lock_and_unlock, &mutex);
  sleep_ms(5);
  CHECK_OK(pthread_kill(thread, SIGUSR1));
  WAIT_UNTIL(LOAD(handled) == 1);
  CHECK(pthread_equal(handled_by, thread));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  join(thread);
}

static void default_action_in_child(void* unused) {
  (void)unused;
  signal(SIGUSR1, SIG_DFL);
  STORE(stop, 0);
  pthread_t thread = start(sleep_until_stopped, NULL);
  pthread_kill(thread, SIGUSR1);
  join(thread);
}

static void the_default_action_is_for_the_whole_process(void) {
  int status = in_child(default_action_in_child, NULL);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
}

CHECK_MAIN(CASE(the_target_runs_the_handler), CASE(signalling_oneself_is_synchronous),
           CASE(raise_acts_on_the_calling_thread), CASE(queued_values), CASE(errors),
           CASE(an_ended_thread_not_yet_joined_ignores_signals), CASE(a_handler_interrupts_nanosleep),
           CASE(signals_to_a_thread_blocked_on_a_mutex), CASE(the_default_action_is_for_the_whole_process))
