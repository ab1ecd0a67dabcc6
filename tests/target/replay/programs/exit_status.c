// ends: 42
#include "program.h"

int main(void) {
  fputs("output without a newline", stdout);
  exit(42);
}
