// The environment and arguments the program was started with, and changes to it.
#include "program.h"

extern char** environ;

int main(int argc, char** argv) {
  TEST_EQ(argc, 1);
  TEST(getenv("XB_PROGRAM_WORLD") != NULL);
  printf("world %s, program %s\n", getenv("XB_PROGRAM_WORLD"), strrchr(argv[0], '/'));
  int count = 0;
  uint64_t hash = 0;
  for (char** e = environ; *e; e++) {
    count++;
    if (strncmp(*e, "LD_PRELOAD", 10) != 0) hash ^= hash_of(*e, strlen(*e));
  }
  printf("%d variables, hash %016llx\n", count, (unsigned long long)hash);
  TEST_EQ(setenv("NEW_VARIABLE", "value", 1), 0);
  TEST(strcmp(getenv("NEW_VARIABLE"), "value") == 0);
  TEST_EQ(unsetenv("NEW_VARIABLE"), 0);
  TEST(getenv("NEW_VARIABLE") == NULL);
  return passed();
}
