// process_vm_readv and process_vm_writev on the process itself.
#include <sys/uio.h>

#include "program.h"

int main(void) {
  char source[] = "source text", target[32] = "";
  struct iovec here = {target, 32}, there = {source, sizeof source};
  ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (n < 0) {
    TEST(errno == EPERM || errno == ENOSYS);
    puts("not allowed here");
    return passed();
  }
  TEST_EQ(n, sizeof source);
  TEST(strcmp(target, "source text") == 0);
  strcpy(target, "other words");
  here.iov_len = sizeof source;
  TEST_EQ(process_vm_writev(getpid(), &here, 1, &there, 1, 0), sizeof source);
  TEST(strcmp(source, "other words") == 0);
  return passed();
}
