// The program becomes a script with an interpreter line.
#include "program.h"

int main(void) {
  write_file("script", "#!/bin/sh\necho \"argument $1\"\necho EXIT-SUCCESS\n");
  TEST_EQ(chmod("script", 0755), 0);
  execl("./script", "./script", "given", (char*)NULL);
  return 1;
}
