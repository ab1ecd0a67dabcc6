// System V message queues: types, sizes, waiting, removal under a waiting thread.
#include <sys/msg.h>

#include "program.h"

struct message {
  long type;
  char text[32];
};
static int queue;

static void* receiver(void* unused) {
  struct message m;
  TEST_EQ(msgrcv(queue, &m, sizeof m.text, 7, 0), 4);
  TEST(memcmp(m.text, "late", 4) == 0);
  TEST_ERRNO(msgrcv(queue, &m, sizeof m.text, 8, 0), EIDRM);
  return unused;
}

int main(void) {
  struct message m = {1, "first"}, got;
  struct msqid_ds info;
  queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  TEST(queue >= 0);
  TEST_EQ(msgsnd(queue, &m, 5, 0), 0);
  m.type = 2;
  strcpy(m.text, "second");
  TEST_EQ(msgsnd(queue, &m, 6, IPC_NOWAIT), 0);
  TEST_EQ(msgctl(queue, IPC_STAT, &info), 0);
  TEST_EQ(info.msg_qnum, 2);
  TEST_EQ(msgrcv(queue, &got, sizeof got.text, 2, 0), 6);
  TEST_EQ(got.type, 2);
  TEST_ERRNO(msgrcv(queue, &got, 2, 0, 0), E2BIG);
  TEST_EQ(msgrcv(queue, &got, 2, 0, MSG_NOERROR), 2);
  TEST_ERRNO(msgrcv(queue, &got, sizeof got.text, 0, IPC_NOWAIT), ENOMSG);
  pthread_t other = start(receiver, NULL);
  sleep_ms(5);
  m.type = 7;
  strcpy(m.text, "late");
  TEST_EQ(msgsnd(queue, &m, 4, 0), 0);
  sleep_ms(5);
  TEST_EQ(msgctl(queue, IPC_RMID, NULL), 0);
  join(other);
  return passed();
}
