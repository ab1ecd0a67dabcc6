// One way of ending a process per run, for the exit status as `xbdbg run` passes it on:
//   exit_status WAY
// Without WAY it lists them, each with the status it must have; check_exit_status.sh compares. exit_forms.c checks
// the same ways in forked children.
#include "exit_ways.h"

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < sizeof kExitWays / sizeof kExitWays[0]; i++)
    if (argc == 2 && strcmp(argv[1], kExitWays[i].name) == 0) return kExitWays[i].run();
  for (size_t i = 0; i < sizeof kExitWays / sizeof kExitWays[0]; i++)
    printf("%s %d\n", kExitWays[i].name, kExitWays[i].status);
  return argc == 1 ? 0 : 99;
}
