// Processors and scheduling: affinity, policies, yielding, getcpu, membarrier.
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>

#include "program.h"

int main(void) {
  cpu_set_t set, one;
  struct sched_param param;
  struct timespec t;
  unsigned cpu = 99999, node;
  TEST_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  TEST(CPU_COUNT(&set) >= 1);
  int first = 0;
  while (!CPU_ISSET(first, &set)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  TEST_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  TEST_EQ(sched_getcpu(), first);
  TEST_EQ(getcpu(&cpu, &node), 0);
  TEST_EQ(sched_setaffinity(0, sizeof set, &set), 0);
  TEST_EQ(sched_getscheduler(0), SCHED_OTHER);
  TEST_EQ(sched_getparam(0, &param), 0);
  TEST_EQ(param.sched_priority, 0);
  TEST_EQ(sched_setscheduler(0, SCHED_BATCH, &param), 0);
  TEST_EQ(sched_getscheduler(0), SCHED_BATCH);
  TEST_EQ(sched_get_priority_max(SCHED_FIFO), 99);
  TEST_EQ(sched_rr_get_interval(0, &t), 0);
  for (int i = 0; i < 10; i++) TEST_EQ(sched_yield(), 0);
  TEST(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) >= 0 || errno == ENOSYS);
  printf("processors %d, on %u\n", CPU_COUNT(&set), cpu);
  return passed();
}
