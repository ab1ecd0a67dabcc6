// Anonymous shared memory that a child writes and the parent reads after the child has ended.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  volatile int* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  TEST(shared != MAP_FAILED);
  shared[0] = 1;
  pid_t pid = fork();
  if (pid == 0) {
    shared[1] = shared[0] + getpid();
    _exit(0);
  }
  TEST_EQ(wait_for(pid), 0);
  TEST_EQ(shared[1], 1 + pid);
  return passed();
}
