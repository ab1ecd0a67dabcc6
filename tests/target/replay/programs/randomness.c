// Everything that is random: getrandom, getentropy, AT_RANDOM, addresses, hash seeds.
#include <sys/auxv.h>
#include <sys/random.h>

#include "program.h"

int main(void) {
  unsigned char bytes[300] = {0};
  TEST_EQ(getrandom(bytes, 200, 0), 200);
  TEST_EQ(getentropy(bytes + 200, 100), 0);
  printf("random %016llx\n", (unsigned long long)hash_of(bytes, sizeof bytes));
  TEST_EQ(getrandom(bytes, 16, GRND_NONBLOCK), 16);
  printf("more %016llx\n", (unsigned long long)hash_of(bytes, 16));
  unsigned char* seed = (unsigned char*)getauxval(AT_RANDOM);
  TEST(seed != NULL);
  printf("seed %016llx\n", (unsigned long long)hash_of(seed, 16));
  printf("stack %p, heap %p, code %p, library %p\n", (void*)bytes, malloc(10), (void*)(uintptr_t)main,
         (void*)(uintptr_t)printf);
  srand((unsigned)time(NULL));
  printf("rand %d\n", rand());
  return passed();
}
