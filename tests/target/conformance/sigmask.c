// Per-thread signal masks: inheritance, blocking, pending signals, pthread_attr_setsigmask_np.
#include "check.h"

static sigset_t set_of(int signal_number) {
  sigset_t set;
  sigemptyset(&set);
  if (signal_number) sigaddset(&set, signal_number);
  return set;
}
static int is_blocked(int signal_number) {
  sigset_t current;
  CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &current));
  return sigismember(&current, signal_number);
}

static void changes(void) {
  sigset_t usr1 = set_of(SIGUSR1), usr2 = set_of(SIGUSR2), none = set_of(0), old;
  CHECK_OK(pthread_sigmask(SIG_SETMASK, &none, NULL));
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &usr1, &old));
  CHECK(!sigismember(&old, SIGUSR1));
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &usr2, &old));
  CHECK(sigismember(&old, SIGUSR1) && !sigismember(&old, SIGUSR2));
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &usr1, &old));
  CHECK(sigismember(&old, SIGUSR1) && sigismember(&old, SIGUSR2));
  CHECK(!is_blocked(SIGUSR1) && is_blocked(SIGUSR2));
  CHECK_OK(pthread_sigmask(SIG_SETMASK, &none, NULL));
  CHECK(!is_blocked(SIGUSR2));
  CHECK_EQ(pthread_sigmask(42, &usr1, NULL), EINVAL);
  CHECK_ERRNO(sigprocmask(42, &usr1, NULL), EINVAL);
  // These cannot be blocked; asking is no error.
  sigset_t unblockable = set_of(SIGKILL);
  sigaddset(&unblockable, SIGSTOP);
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &unblockable, NULL));
  CHECK(!is_blocked(SIGKILL) && !is_blocked(SIGSTOP));
}

static void* look_and_change(void* unused) {
  sigset_t usr2 = set_of(SIGUSR2);
  CHECK(is_blocked(SIGUSR1));  // inherited from the creator
  CHECK(!is_blocked(SIGUSR2));
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &usr2, NULL));
  sched_yield();
  CHECK(is_blocked(SIGUSR2));
  return unused;
}

static void a_new_thread_inherits_and_then_has_its_own(void) {
  sigset_t usr1 = set_of(SIGUSR1), none = set_of(0);
  CHECK_OK(pthread_sigmask(SIG_SETMASK, &usr1, NULL));
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = start(look_and_change, NULL);
  for (int i = 0; i < 3; i++) join(threads[i]);
  CHECK(is_blocked(SIGUSR1));
  CHECK(!is_blocked(SIGUSR2));
  CHECK_OK(pthread_sigmask(SIG_SETMASK, &none, NULL));
}

static void* look_by_attribute(void* unused) {
  CHECK(is_blocked(SIGUSR2));
  CHECK(!is_blocked(SIGUSR1));
  return unused;
}

static void the_mask_attribute(void) {
  pthread_attr_t attr;
  pthread_t thread;
  sigset_t usr1 = set_of(SIGUSR1), usr2 = set_of(SIGUSR2), none = set_of(0), got;
  CHECK_OK(pthread_sigmask(SIG_SETMASK, &usr1, NULL));
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_EQ(pthread_attr_getsigmask_np(&attr, &got), PTHREAD_ATTR_NO_SIGMASK_NP);
  CHECK_OK(pthread_attr_setsigmask_np(&attr, &usr2));
  CHECK_OK(pthread_attr_getsigmask_np(&attr, &got));
  CHECK(sigismember(&got, SIGUSR2) && !sigismember(&got, SIGUSR1));
  CHECK_OK(pthread_create(&thread, &attr, look_by_attribute, NULL));
  join(thread);
  CHECK_OK(pthread_attr_destroy(&attr));
  CHECK_OK(pthread_sigmask(SIG_SETMASK, &none, NULL));
}

static volatile int handled;
static pthread_t handled_by;
static void count_signal(int signal_number) {
  (void)signal_number;
  handled++;
  handled_by = pthread_self();
}

static void a_blocked_signal_stays_pending(void) {
  sigset_t usr1 = set_of(SIGUSR1), pending;
  struct sigaction action = {.sa_handler = count_signal};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  handled = 0;
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
  CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
  CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
  CHECK_EQ(handled, 0);
  CHECK_OK(sigpending(&pending));
  CHECK(sigismember(&pending, SIGUSR1));
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL));
  CHECK_EQ(handled, 1);  // standard signals do not queue
  CHECK_OK(sigpending(&pending));
  CHECK(!sigismember(&pending, SIGUSR1));
}

static void* pending_is_mine_only(void* unused) {
  sigset_t pending;
  CHECK_OK(sigpending(&pending));
  CHECK(!sigismember(&pending, SIGUSR1));  // main's own pending signal is not ours
  return unused;
}

static void signals_pending_for_one_thread_are_not_pending_for_another(void) {
  sigset_t usr1 = set_of(SIGUSR1);
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
  CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
  in_thread(pending_is_mine_only, NULL);
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL));
}

static int stop, unblocked;
static void* unblocked_thread(void* unused) {
  sigset_t usr1 = set_of(SIGUSR1);
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL));
  STORE(unblocked, 1);
  while (!LOAD(stop)) sleep_ms(1);
  return unused;
}

static void a_process_signal_goes_to_a_thread_that_does_not_block_it(void) {
  sigset_t usr1 = set_of(SIGUSR1);
  handled = stop = 0;
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
  pthread_t thread = start(unblocked_thread, NULL);
  WAIT_UNTIL(LOAD(unblocked));
  CHECK_OK(kill(getpid(), SIGUSR1));
  WAIT_UNTIL(handled == 1);
  CHECK(pthread_equal(handled_by, thread));
  STORE(stop, 1);
  join(thread);
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL));
  CHECK_EQ(handled, 1);
}

static void mask_during_handler(int signal_number) {
  handled += is_blocked(signal_number) ? 1 : 100;
  handled += is_blocked(SIGUSR2) ? 10 : 100;
}

static void the_mask_in_a_handler(void) {
  struct sigaction action = {.sa_handler = mask_during_handler};
  action.sa_mask = set_of(SIGUSR2);
  handled = 0;
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(raise(SIGUSR1));
  CHECK_EQ(handled, 11);
  CHECK(!is_blocked(SIGUSR1) && !is_blocked(SIGUSR2));
}

CHECK_MAIN(CASE(changes), CASE(a_new_thread_inherits_and_then_has_its_own), CASE(the_mask_attribute),
           CASE(a_blocked_signal_stays_pending), CASE(signals_pending_for_one_thread_are_not_pending_for_another),
           CASE(a_process_signal_goes_to_a_thread_that_does_not_block_it), CASE(the_mask_in_a_handler))
