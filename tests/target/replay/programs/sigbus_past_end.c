// Touching a mapping beyond the end of its file is SIGBUS.
#include <setjmp.h>
#include <sys/mman.h>

#include "program.h"

static sigjmp_buf back;
static volatile char* where;

static void on_bus(int signo, siginfo_t* info, void* context) {
  (void)context;
  siglongjmp(back, signo == SIGBUS && info->si_code == BUS_ADRERR && info->si_addr == where ? 1 : 2);
}

int main(void) {
  write_file("file", "short");
  int fd = open("file", O_RDWR);
  char* p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  handle_info(SIGBUS, on_bus, 0);
  TEST_EQ(p[4], 't');
  where = p + 4096 + 10;
  int jumped = sigsetjmp(back, 1);
  if (jumped == 0) {
    *where = 1;
    TEST(!"the store should have failed");
  }
  TEST_EQ(jumped, 1);
  p[4] = 'T';
  TEST_EQ(p[4], 'T');
  return passed();
}
