// ends: 134 (SIGABRT), glibc notices a block that is freed twice.
#include "program.h"
#pragma GCC diagnostic ignored "-Wuse-after-free"

int main(void) {
  char* volatile blocks[10];
  for (int i = 0; i < 10; i++) blocks[i] = malloc(40);
  for (int i = 0; i < 10; i++) free(blocks[i]);
  puts("once more");
  free(blocks[9]);
  return passed();
}
