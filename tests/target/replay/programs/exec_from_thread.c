// exec in a thread replaces the whole program, the other threads included.
#include "program.h"

static char** arguments;

static void* replaces(void* unused) {
  char* args[] = {arguments[0], "again", NULL};
  execv("/proc/self/exe", args);
  return unused;
}

static void* sleeps(void* unused) {
  sleep(1000);
  return unused;
}

static void* works(void* unused) {
  puts("thread of the second image");
  return unused;
}

int main(int argc, char** argv) {
  arguments = argv;
  if (argc > 1) {
    join(start(works, NULL));
    return passed();
  }
  start(sleeps, NULL);
  join(start(replaces, NULL));
  TEST(!"execv returned");
}
