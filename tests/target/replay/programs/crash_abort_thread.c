// ends: 134 (SIGABRT), abort in a thread while main joins it.
#include "program.h"

static void* aborts(void* unused) {
  fprintf(stderr, "thread gives up\n");
  abort();
  return unused;
}

int main(void) {
  join(start(aborts, NULL));
  return passed();
}
