// What the kernel tells a program at its start.
#include <sys/auxv.h>

#include "program.h"

int main(void) {
  TEST_EQ(getauxval(AT_PAGESZ), sysconf(_SC_PAGESIZE));
  TEST_EQ(getauxval(AT_UID), getuid());
  TEST_EQ(getauxval(AT_CLKTCK), 100);
  TEST(getauxval(AT_PHDR) != 0 && getauxval(AT_ENTRY) != 0);
  TEST(strstr((const char*)getauxval(AT_EXECFN), "auxiliary_vector") != NULL);
  TEST(strcmp((const char*)getauxval(AT_PLATFORM), "x86_64") == 0);
  printf("hwcap %lx %lx, entry %lx\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2), getauxval(AT_ENTRY));
  return passed();
}
