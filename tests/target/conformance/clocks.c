// Clocks as threads see them: CPU-time clocks, monotonicity across threads, time and sleep agree.
#include <sys/time.h>

#include "check.h"

static long long nanoseconds(clockid_t clock) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void own_cpu_clock(void) {
  clockid_t clock;
  CHECK_OK(pthread_getcpuclockid(pthread_self(), &clock));
  volatile unsigned long work = 0;
  long long before = nanoseconds(clock);
  long long process_before = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < 5000000; i++) work += (unsigned)i;
  CHECK(nanoseconds(clock) >= before);
  CHECK(nanoseconds(CLOCK_THREAD_CPUTIME_ID) >= before);
  CHECK(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) >= process_before);
}

static void burn(long long amount) {
  long long until = nanoseconds(CLOCK_THREAD_CPUTIME_ID) + amount;
  while (nanoseconds(CLOCK_THREAD_CPUTIME_ID) < until) continue;
}
static void* look_at_fresh_clock(void* unused) {
  CHECK(nanoseconds(CLOCK_THREAD_CPUTIME_ID) < 40000000);
  return unused;
}

static void a_new_thread_has_used_no_time(void) {
  burn(80000000);
  in_thread(look_at_fresh_clock, NULL);
}

static int stop;
static void* run_until_stopped(void* unused) {
  while (!LOAD(stop)) sleep_ms(1);
  return unused;
}

static void another_threads_cpu_clock(void) {
  clockid_t clock;
  pthread_t thread = start(run_until_stopped, NULL);
  CHECK_OK(pthread_getcpuclockid(thread, &clock));
  long long first = nanoseconds(clock);
  CHECK(first >= 0);
  CHECK(nanoseconds(clock) >= first);
  STORE(stop, 1);
  join(thread);
}

static long long last_seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* look_at_clock(void* unused) {
  for (int i = 0; i < 200; i++) {
    CHECK_OK(pthread_mutex_lock(&mutex));
    long long now = nanoseconds(CLOCK_MONOTONIC);
    CHECK(now >= last_seen);
    last_seen = now;
    CHECK_OK(pthread_mutex_unlock(&mutex));
    if (i % 20 == 0) sched_yield();
  }
  return unused;
}

static void the_monotonic_clock_never_goes_back(void) {
  pthread_t threads[3];
  for (int t = 0; t < 3; t++) threads[t] = start(look_at_clock, NULL);
  for (int t = 0; t < 3; t++) join(threads[t]);
}

static void all_clocks_see_a_second_of_sleep(void) {
  static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW};
  long long before[4];
  struct timeval day_before, day_after;
  gettimeofday(&day_before, NULL);
  time_t time_before = time(NULL);
  for (int i = 0; i < 4; i++) before[i] = nanoseconds(clocks[i]);
  CHECK_EQ(sleep(1), 0);
  // CLOCK_MONOTONIC_RAW is not slewed and may run a little slower.
  for (int i = 0; i < 4; i++) CHECK(nanoseconds(clocks[i]) - before[i] >= (i == 3 ? 990000000LL : 1000000000LL));
  gettimeofday(&day_after, NULL);
  CHECK(day_after.tv_sec > day_before.tv_sec);
  CHECK(time(NULL) > time_before);
}

static void the_process_clock_includes_other_threads(void) {
  clockid_t clock;
  CHECK_OK(clock_getcpuclockid(0, &clock));
  CHECK(nanoseconds(clock) >= 0);
  CHECK(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) + 1000000 >= nanoseconds(CLOCK_THREAD_CPUTIME_ID));
}

static void resolutions_and_errors(void) {
  struct timespec t;
  CHECK_OK(clock_getres(CLOCK_MONOTONIC, &t));
  CHECK(t.tv_sec == 0 && t.tv_nsec > 0);
  CHECK_OK(clock_getres(CLOCK_REALTIME, &t));
  CHECK_ERRNO(clock_gettime(12345, &t), EINVAL);
  CHECK_ERRNO(clock_getres(12345, &t), EINVAL);
}

static void real_time_is_plausible(void) {
  // After 2020, and the same for all ways to ask within a few seconds.
  time_t now = time(NULL);
  struct timespec t;
  struct timeval day;
  CHECK_OK(clock_gettime(CLOCK_REALTIME, &t));
  gettimeofday(&day, NULL);
  CHECK(now > 1577836800);
  CHECK(t.tv_sec - now <= 5 && day.tv_sec - now <= 5);
}

// A timer that expires again while its signal is blocked and pending counts an overrun and sends no second signal.
static void expirations_while_blocked_are_overruns(void) {
  const struct timespec period = {.tv_sec = 0, .tv_nsec = 10 * 1000 * 1000}, none = {0, 0};
  const struct itimerspec every = {.it_interval = period, .it_value = period};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  sigset_t set;
  timer_t timer;
  CHECK_OK(sigemptyset(&set));
  CHECK_OK(sigaddset(&set, SIGUSR2));
  CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  CHECK_OK(timer_settime(timer, 0, &every, NULL));
  sleep_ms(105);
  CHECK_EQ(sigwaitinfo(&set, NULL), SIGUSR2);
  CHECK(timer_getoverrun(timer) >= 9);
  CHECK_OK(timer_delete(timer));
  while (sigtimedwait(&set, NULL, &none) > 0) continue;
  CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
}

static int alarms;
static void count_alarm(int signal_number) {
  (void)signal_number;
  ADD(alarms, 1);
}

static void* poll_the_clock(void* unused) {
  struct timespec now, end;
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &end));
  end.tv_sec += 10;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (LOAD(alarms) == 0 && now.tv_sec < end.tv_sec);
  return unused;
}

// The thread that polls never blocks, and the alarm is for the other one.
static void an_alarm_comes_while_a_thread_polls(void) {
  struct sigaction action = {.sa_handler = count_alarm};
  const struct itimerval soon = {.it_value = {.tv_sec = 0, .tv_usec = 20 * 1000}};
  CHECK_OK(sigaction(SIGALRM, &action, NULL));
  CHECK_OK(setitimer(ITIMER_REAL, &soon, NULL));
  pthread_t thread = start(poll_the_clock, NULL);
  join(thread);
  CHECK_EQ(LOAD(alarms), 1);
}

CHECK_MAIN(CASE(own_cpu_clock), CASE(a_new_thread_has_used_no_time), CASE(another_threads_cpu_clock),
           CASE(the_monotonic_clock_never_goes_back), CASE(all_clocks_see_a_second_of_sleep),
           CASE(the_process_clock_includes_other_threads), CASE(resolutions_and_errors), CASE(real_time_is_plausible),
           CASE(expirations_while_blocked_are_overruns), CASE(an_alarm_comes_while_a_thread_polls))
