// vfork and exec of other programs, with success and without.
#include "program.h"

int main(void) {
  pid_t pid = vfork();
  if (pid == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  TEST_EQ(wait_for(pid), 0);
  pid = vfork();
  if (pid == 0) {
    execl("/no/such/program", "x", (char*)NULL);
    _exit(9);
  }
  TEST_EQ(WEXITSTATUS(wait_for(pid)), 9);
  pid = fork();
  if (pid == 0) {
    execlp("sh", "sh", "-c", "exit 17", (char*)NULL);
    _exit(1);
  }
  TEST_EQ(WEXITSTATUS(wait_for(pid)), 17);
  return passed();
}
