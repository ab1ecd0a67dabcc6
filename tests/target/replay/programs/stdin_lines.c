// Lines from standard input, through stdio, then its end.
#include "program.h"

int main(void) {
  char line[128];
  int count = 0;
  while (fgets(line, sizeof line, stdin)) {
    count++;
    printf("%d: %s", count, line);
  }
  TEST(feof(stdin));
  TEST_EQ(count, 3);
  return passed();
}
