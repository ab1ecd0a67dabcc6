// prctl: names of threads, dumpable, death signal, securebits; personality.
#include <sys/personality.h>
#include <sys/prctl.h>

#include "program.h"

static void* thread(void* unused) {
  char name[16] = "", comm[32] = "";
  TEST_EQ(prctl(PR_SET_NAME, "second thread"), 0);
  TEST_EQ(prctl(PR_GET_NAME, name), 0);
  TEST(strcmp(name, "second thread") == 0);
  TEST_EQ(pthread_getname_np(pthread_self(), comm, sizeof comm), 0);
  TEST(strcmp(comm, "second thread") == 0);
  return unused;
}

int main(void) {
  char name[16] = "";
  int signo = -1;
  TEST_EQ(prctl(PR_GET_NAME, name), 0);
  TEST(strcmp(name, "prctl") == 0);
  join(start(thread, NULL));
  TEST_EQ(prctl(PR_SET_NAME, "a name that is too long"), 0);
  TEST_EQ(prctl(PR_GET_NAME, name), 0);
  TEST(strcmp(name, "a name that is ") == 0);
  TEST_EQ(prctl(PR_GET_DUMPABLE), 1);
  TEST_EQ(prctl(PR_GET_PDEATHSIG, &signo), 0);
  TEST_EQ(prctl(PR_SET_PDEATHSIG, SIGUSR1), 0);
  TEST_EQ(prctl(PR_GET_PDEATHSIG, &signo), 0);
  TEST_EQ(signo, SIGUSR1);
  TEST_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
  TEST_EQ(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0, 1);
  TEST_ERRNO(prctl(99999), EINVAL);
  TEST(personality(0xffffffff) >= 0);
  return passed();
}
