// ends: 135 (SIGBUS), a mapping past the end of its file.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  write_file("file", "");
  int fd = open("file", O_RDONLY);
  volatile char* p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  TEST(p != MAP_FAILED);
  puts("mapped");
  return p[0];
}
