// system, and popen in both directions.
#include "program.h"

int main(void) {
  char line[64];
  TEST(system(NULL) != 0);
  TEST_EQ(WEXITSTATUS(system("exit 6")), 6);
  TEST_EQ(system("test -d . && echo text > made"), 0);
  TEST_EQ(access("made", R_OK), 0);
  FILE* f = popen("echo one; echo two; cat made", "r");
  TEST(f != NULL);
  for (int i = 0; i < 3; i++) TEST(fgets(line, sizeof line, f) != NULL);
  TEST(strcmp(line, "text\n") == 0);
  TEST(fgets(line, sizeof line, f) == NULL);
  TEST_EQ(pclose(f), 0);
  f = popen("cat > written; exit 3", "w");
  fprintf(f, "through the pipe\n");
  TEST_EQ(WEXITSTATUS(pclose(f)), 3);
  f = fopen("written", "r");
  TEST(fgets(line, sizeof line, f) != NULL);
  TEST(strcmp(line, "through the pipe\n") == 0);
  return passed();
}
