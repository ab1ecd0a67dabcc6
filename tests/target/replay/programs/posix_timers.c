// timer_create with signals and with threads, periodic ones, overruns, deletion.
#include "program.h"

static volatile int signals, value;
static int calls;

static void on_signal(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)context;
  TEST_EQ(info->si_code, SI_TIMER);
  value = info->si_value.sival_int;
  signals++;
}

static void in_thread(union sigval v) {
  TEST_EQ(v.sival_int, 8);
  ADD(calls, 1);
}

int main(void) {
  timer_t timer;
  struct itimerspec ten = {{0, 10000000}, {0, 10000000}}, once = {{0, 0}, {0, 5000000}}, now;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value = {.sival_int = 7}};
  handle_info(SIGRTMIN, on_signal, 0);
  TEST_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  TEST_EQ(timer_settime(timer, 0, &ten, NULL), 0);
  WAIT_UNTIL(signals >= 3);
  TEST_EQ(value, 7);
  TEST_EQ(timer_gettime(timer, &now), 0);
  TEST_EQ(now.it_interval.tv_nsec, 10000000);
  TEST(timer_getoverrun(timer) >= 0);
  TEST_EQ(timer_delete(timer), 0);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_value.sival_int = 8;
  event.sigev_notify_function = in_thread;
  TEST_EQ(timer_create(CLOCK_REALTIME, &event, &timer), 0);
  TEST_EQ(timer_settime(timer, 0, &once, NULL), 0);
  WAIT_UNTIL(LOAD(calls) == 1);
  TEST_EQ(timer_delete(timer), 0);
  return passed();
}
