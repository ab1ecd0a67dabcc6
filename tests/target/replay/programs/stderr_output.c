// Standard error and standard output are two streams; what is written to either is replayed.
#include "program.h"

int main(void) {
  fprintf(stderr, "to standard error, process %d\n", getpid());
  printf("to standard output, process %d\n", getpid());
  TEST_EQ(write(2, "raw\n", 4), 4);
  perror("perror says");
  dprintf(1, "dprintf %s\n", "too");
  fprintf(stderr, "no newline at the end");
  return passed();
}
