// A program that the agent cannot be in: linked statically. Its exit code is its argument; 99 if it was told of us.
#include <stdlib.h>

int main(int argc, char** argv) { return getenv("XBDBG_ARENA_FD") != nullptr || argc != 2 ? 99 : atoi(argv[1]); }
