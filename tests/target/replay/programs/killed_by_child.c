// ends: 138 (SIGUSR1), sent by a child, while the program sleeps.
#include "program.h"

int main(void) {
  puts("before");
  pid_t parent = getpid();
  if (fork() == 0) _exit(kill(parent, SIGUSR1));
  for (;;) pause();
}
