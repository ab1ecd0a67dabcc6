// Large arrays on the stack, deep recursion, alloca, and threads with small and large stacks.
#include <alloca.h>

#include "program.h"

static long deep(int n) {
  volatile char room[500];
  memset((char*)room, n, sizeof room);
  long below = n == 0 ? 0 : deep(n - 1);
  return below + room[n % 500];
}

static void* thread(void* argument) {
  volatile char* room = alloca((size_t)argument / 2);
  memset((char*)room, 1, (size_t)argument / 2);
  return (void*)(long)room[10];
}

int main(void) {
  volatile char array[4 << 20];
  memset((char*)array, 'x', sizeof array);
  TEST_EQ(array[12345], 'x');
  printf("depth gives %ld\n", deep(5000));
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  for (size_t size = 64 << 10; size <= 64 << 20; size *= 4) {
    pthread_t t;
    TEST_EQ(pthread_attr_setstacksize(&attr, size), 0);
    TEST_EQ(pthread_create(&t, &attr, thread, (void*)size), 0);
    TEST(join(t) == (void*)1);
  }
  return passed();
}
