// A handler for SIGSEGV gives access to a protected page, and the store goes on: as a garbage collector does it.
#include <sys/mman.h>

#include "program.h"

static char* area;
static long page;
static volatile int faults;

static void on_fault(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)context;
  char* address = info->si_addr;
  TEST(address >= area && address < area + 16 * page);
  TEST_EQ(info->si_code, SEGV_ACCERR);
  faults++;
  TEST_EQ(mprotect(area + (address - area) / page * page, page, PROT_READ | PROT_WRITE), 0);
}

int main(void) {
  page = sysconf(_SC_PAGESIZE);
  area = mmap(NULL, 16 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  handle_info(SIGSEGV, on_fault, 0);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 16; i += 2) area[i * page + 5] = (char)i;
    TEST_EQ(faults, 8 * (round + 1));
    TEST_EQ(mprotect(area, 16 * page, PROT_READ), 0);
  }
  TEST_EQ(area[6 * page + 5], 6);
  return passed();
}
