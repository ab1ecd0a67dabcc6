// A thread waits for a child, and the others go on meanwhile: the child ends only when one of them says so.
#include "program.h"

static int fds[2];

static void* waits(void* argument) {
  TEST_EQ(WEXITSTATUS(wait_for(*(pid_t*)argument)), 1);
  return NULL;
}

int main(void) {
  TEST_EQ(pipe(fds), 0);
  pid_t pid = fork();
  if (pid == 0) {
    char c;
    _exit((int)read(fds[0], &c, 1));
  }
  pthread_t thread = start(waits, &pid);
  for (int i = 0; i < 10; i++) sleep_ms(1);
  TEST_EQ(write(fds[1], "x", 1), 1);
  join(thread);
  return passed();
}
