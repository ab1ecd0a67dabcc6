// atexit, on_exit, destructors, and what exit flushes; in their order.
#include "program.h"

static void first(void) { puts("registered first"); }
static void second(int status, void* argument) { printf("on_exit %d %s\n", status, (char*)argument); }
__attribute__((destructor)) static void destructor(void) {
  puts("destructor");
  passed();
}

int main(void) {
  atexit(first);
  on_exit(second, "argument");
  FILE* f = fopen("file", "w");
  fputs("flushed by exit", f);
  fputs("partial line", stdout);
  return 0;
}
