// A child that computes what it is sent through pipes.
#include "program.h"

int main(void) {
  int to[2], from[2];
  TEST_EQ(pipe(to), 0);
  TEST_EQ(pipe(from), 0);
  pid_t pid = fork();
  if (pid == 0) {
    int n;
    close(to[1]);
    while (read(to[0], &n, sizeof n) == sizeof n) {
      n = n * n;
      if (write(from[1], &n, sizeof n) != sizeof n) _exit(1);
    }
    pid_t own = getpid();
    _exit(write(from[1], &own, sizeof own) == sizeof own ? 0 : 2);
  }
  for (int i = 0; i < 100; i++) {
    int n;
    TEST_EQ(write(to[1], &i, sizeof i), sizeof i);
    read_all(from[0], &n, sizeof n);
    TEST_EQ(n, i * i);
  }
  close(to[1]);
  pid_t reported;
  read_all(from[0], &reported, sizeof reported);
  TEST_EQ(reported, pid);
  TEST_EQ(wait_for(pid), 0);
  return passed();
}
