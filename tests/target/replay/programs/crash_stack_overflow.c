// ends: 139 (SIGSEGV), recursion without end.
#include "program.h"

__attribute__((noinline)) static int recurse(volatile char* above) {
  volatile char room[1000];
  room[0] = above[0];
  if (above[0] == 0) return 0;  // never
  return recurse(room) + room[0];
}

int main(void) {
  volatile char start_here[1] = {1};
  puts("down");
  return recurse(start_here);
}
