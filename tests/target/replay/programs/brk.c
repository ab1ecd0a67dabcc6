// The break: growing and shrinking it, and a heap that does the same.
#include "program.h"

int main(void) {
  char* before = sbrk(0);
  char* grown = sbrk(100000);
  TEST(grown == before);
  memset(grown, 'x', 100000);
  TEST(sbrk(0) == before + 100000);
  TEST_EQ(brk(before + 50000), 0);
  TEST_EQ(before[49999], 'x');
  TEST_EQ(brk(before + 100000), 0);
  TEST_EQ(before[99999], 0);
  void* blocks[1000];
  for (int i = 0; i < 1000; i++) {
    blocks[i] = malloc((size_t)(i * 37 % 5000 + 1));
    TEST(blocks[i] != NULL);
    memset(blocks[i], i, (size_t)(i * 37 % 5000 + 1));
  }
  printf("blocks %p and %p\n", blocks[0], blocks[999]);
  for (int i = 0; i < 1000; i++) free(blocks[i]);
  volatile size_t absurd = SIZE_MAX / 2 - 100;
  TEST(malloc(absurd) == NULL && errno == ENOMEM);
  return passed();
}
