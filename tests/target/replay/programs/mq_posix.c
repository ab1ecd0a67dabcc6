// POSIX message queues: attributes, priorities, waiting, time limits, notification.
#include <mqueue.h>

#include "program.h"

static mqd_t queue;
static volatile sig_atomic_t notified;
static void on_message(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)context;
  notified = info->si_code == SI_MESGQ ? 1 : -1;
}

static void* receiver(void* unused) {
  char buffer[64];
  unsigned priority;
  TEST_EQ(mq_receive(queue, buffer, sizeof buffer, &priority), 5);
  TEST_EQ(priority, 3);
  return unused;
}

int main(void) {
  char name[64], buffer[64];
  unsigned priority;
  struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = 64}, got;
  snprintf(name, sizeof name, "/xb-program-%d", getpid());
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
  TEST(queue >= 0);
  TEST_EQ(mq_unlink(name), 0);
  TEST_EQ(mq_send(queue, "low", 3, 1), 0);
  TEST_EQ(mq_send(queue, "high", 4, 9), 0);
  TEST_EQ(mq_getattr(queue, &got), 0);
  TEST(got.mq_curmsgs == 2 && got.mq_maxmsg == 4);
  TEST_EQ(mq_receive(queue, buffer, sizeof buffer, &priority), 4);
  TEST_EQ(priority, 9);
  TEST_ERRNO(mq_receive(queue, buffer, 10, NULL), EMSGSIZE);
  TEST_EQ(mq_receive(queue, buffer, sizeof buffer, NULL), 3);
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  TEST_ERRNO(mq_timedreceive(queue, buffer, sizeof buffer, NULL, &soon), ETIMEDOUT);
  pthread_t other = start(receiver, NULL);
  sleep_ms(5);
  TEST_EQ(mq_send(queue, "hello", 5, 3), 0);
  join(other);
  handle_info(SIGUSR1, on_message, 0);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  TEST_EQ(mq_notify(queue, &event), 0);
  TEST_EQ(mq_send(queue, "x", 1, 0), 0);
  WAIT_UNTIL(notified);
  TEST_EQ(notified, 1);
  TEST_EQ(mq_close(queue), 0);
  return passed();
}
