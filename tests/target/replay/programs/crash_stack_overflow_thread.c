// ends: 139 (SIGSEGV), recursion without end in a thread with a small stack.
#include "program.h"

__attribute__((noinline)) static int recurse(volatile char* above) {
  volatile char room[1000];
  room[0] = above[0];
  if (above[0] == 0) return 0;  // never
  return recurse(room) + room[0];
}

static void* thread(void* unused) {
  volatile char start_here[1] = {1};
  return recurse(start_here) ? unused : NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t t;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 128 << 10);
  puts("down");
  TEST_EQ(pthread_create(&t, &attr, thread, NULL), 0);
  join(t);
  return passed();
}
