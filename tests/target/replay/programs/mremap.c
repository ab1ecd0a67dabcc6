// mremap: growing, moving, shrinking; content comes along.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  long page = sysconf(_SC_PAGESIZE);
  char* p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(p, "content");
  p[2 * page - 1] = 'e';
  char* larger = mremap(p, 2 * page, 300 * page, MREMAP_MAYMOVE);
  TEST(larger != MAP_FAILED);
  TEST(strcmp(larger, "content") == 0 && larger[2 * page - 1] == 'e' && larger[299 * page] == 0);
  TEST(mremap(larger, 300 * page, page, 0) == larger);
  char* place = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* moved = mremap(larger, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  TEST(moved == place);
  TEST(strcmp(moved, "content") == 0);
  TEST(mremap((void*)4096, page, 2 * page, MREMAP_MAYMOVE) == MAP_FAILED);
  char* block = malloc(1 << 20);  // glibc grows large blocks with mremap
  memset(block, 7, 1 << 20);
  block = realloc(block, 16 << 20);
  TEST(block[(1 << 20) - 1] == 7);
  free(block);
  printf("at %p\n", (void*)moved);
  return passed();
}
