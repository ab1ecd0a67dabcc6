// ends: 7: _exit in a thread ends the process, also while main and others block.
#include "program.h"

static int fds[2];

static void* blocks(void* unused) {
  char c;
  return read(fds[0], &c, 1) ? unused : NULL;
}

static void* leaves(void* unused) {
  puts("leaving");
  _exit(7);
  return unused;
}

int main(void) {
  TEST_EQ(pipe(fds), 0);
  start(blocks, NULL);
  start(leaves, NULL);
  char c;
  return (int)read(fds[0], &c, 1);
}
