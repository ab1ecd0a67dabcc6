// Who the process is: ids of process, thread, user, groups; login, host; capabilities; priorities.
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "program.h"

static void* thread(void* argument) {
  TEST_EQ(getpid(), *(pid_t*)argument);
  TEST(gettid() != getpid());
  return NULL;
}

int main(void) {
  uid_t r, e, s;
  gid_t groups[256];
  pid_t pid = getpid();
  TEST_EQ(syscall(SYS_getpid), pid);
  TEST_EQ(gettid(), pid);
  join(start(thread, &pid));
  TEST_EQ(getresuid(&r, &e, &s), 0);
  TEST(r == getuid() && e == geteuid());
  TEST_EQ(getresgid(&r, &e, &s), 0);
  int n = getgroups(256, groups);
  TEST(n >= 0);
  TEST_EQ(getgroups(0, NULL), n);
  TEST_EQ(setuid(getuid()), 0);
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  TEST_EQ(syscall(SYS_capget, &header, data), 0);
  errno = 0;
  int priority = getpriority(PRIO_PROCESS, 0);
  TEST_EQ(errno, 0);
  TEST_EQ(setpriority(PRIO_PROCESS, 0, priority + 1), 0);
  TEST_EQ(getpriority(PRIO_PROCESS, 0), priority + 1);
  printf("process %d parent %d session %d user %d groups %d capabilities %x io %ld\n", pid, getppid(), getsid(0),
         (int)r, n, data[0].effective, syscall(SYS_ioprio_get, 1, 0));
  return passed();
}
