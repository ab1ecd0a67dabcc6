// A private mapping of a file: its content, writes that stay here, offsets, after the file is gone.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  static char text[20000];
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);  // another content each time
  for (size_t i = 0; i < sizeof text - 1; i++) text[i] = (char)('a' + (i + (size_t)t.tv_nsec) % 26);
  write_file("file", text);
  int fd = open("file", O_RDONLY);
  char* all = mmap(NULL, sizeof text - 1, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  char* rest = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 8192);
  TEST(all != MAP_FAILED && rest != MAP_FAILED);
  close(fd);
  TEST_EQ(unlink("file"), 0);
  TEST(memcmp(all, text, sizeof text - 1) == 0);
  TEST(memcmp(rest, text + 8192, 4096) == 0);
  TEST_EQ(all[sizeof text - 1], 0);  // the rest of the last page
  all[8192] = '#';
  TEST(rest[0] != '#');
  printf("begins %.10s hash %016llx\n", text, (unsigned long long)hash_of(all, sizeof text));
  fd = open("/proc/self/exe", O_RDONLY);
  unsigned char* program = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  TEST(program != MAP_FAILED);
  TEST(memcmp(program, "\177ELF", 4) == 0);
  TEST_EQ(munmap(rest, 4096), 0);
  return passed();
}
