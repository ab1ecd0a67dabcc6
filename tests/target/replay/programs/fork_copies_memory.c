// After fork parent and child have memory of their own, and share open files.
#include "program.h"

static int global = 1;

int main(void) {
  int* heap = malloc(sizeof *heap);
  char buffer[8] = "";
  *heap = 1;
  int fd = open("file", O_RDWR | O_CREAT, 0600);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    global = *heap = 2;
    if (getppid() != parent || getpid() == parent) _exit(1);
    _exit(write(fd, "child", 5) == 5 ? global + *heap : 2);
  }
  TEST_EQ(WEXITSTATUS(wait_for(pid)), 4);
  TEST(global == 1 && *heap == 1);
  TEST_EQ(lseek(fd, 0, SEEK_CUR), 5);
  TEST_EQ(pread(fd, buffer, 5, 0), 5);
  TEST(strcmp(buffer, "child") == 0);
  return passed();
}
