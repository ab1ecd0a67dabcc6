// Code made at run time: written, made executable, called, changed, called again.
#include <sys/mman.h>

#include "program.h"

int main(void) {
  static const unsigned char code[] = {0x8d, 0x44, 0x37, 0x01, 0xc3};  // lea 1(%rdi,%rsi), %eax; ret
  unsigned char* p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TEST(p != MAP_FAILED);
  memcpy(p, code, sizeof code);
  TEST_EQ(mprotect(p, 4096, PROT_READ | PROT_EXEC), 0);
  int (*function)(int, int);
  memcpy(&function, &p, sizeof p);
  TEST_EQ(function(20, 21), 42);
  TEST_EQ(mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
  p[3] = 2;
  TEST_EQ(function(20, 21), 43);
  return passed();
}
