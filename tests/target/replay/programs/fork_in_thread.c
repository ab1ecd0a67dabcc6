// fork in a thread: the child has that thread only, with its thread-local data; atfork handlers run.
#include "program.h"

static __thread int local;
static int prepared, in_parent;
static void prepare(void) { prepared++; }
static void parent_side(void) { in_parent++; }

static void* forks(void* argument) {
  local = (int)(long)argument;
  pid_t pid = fork();
  if (pid == 0) _exit(local);
  int status = wait_for(pid);
  TEST_EQ(WEXITSTATUS(status), (long)argument);
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  pthread_atfork(prepare, parent_side, NULL);
  for (long i = 0; i < 4; i++) threads[i] = start(forks, (void*)(i + 20));
  for (int i = 0; i < 4; i++) join(threads[i]);
  TEST(prepared == 4 && in_parent == 4);
  return passed();
}
