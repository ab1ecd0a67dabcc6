// The program becomes another one, which ends the test.
#include "program.h"

int main(void) {
  puts("before exec");
  execlp("echo", "echo", "EXIT-SUCCESS", (char*)NULL);
  return 1;
}
