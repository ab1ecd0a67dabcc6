// ends: 143 (SIGTERM), sent by the program to itself with the default action.
#include "program.h"

int main(void) {
  puts("before");
  kill(getpid(), SIGTERM);
  return passed();
}
