/* one_byte COUNT [pipe] - COUNT reads and COUNT writes of one byte: of /dev/zero and /dev/null, or of a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int fds[2];
  if (argc > 2) {
    if (pipe(fds) != 0) return 1;
  } else {
    fds[0] = open("/dev/zero", O_RDONLY);
    fds[1] = open("/dev/null", O_WRONLY);
  }
  char byte = 'x';
  for (long count = argc > 1 ? atol(argv[1]) : 1000000; count > 0; count--) {
    if (write(fds[1], &byte, 1) != 1 || read(fds[0], &byte, 1) != 1) return 1;
  }
  printf("%d\n", byte);
  return 0;
}
