// A robust mutex whose owner ends, and a process-shared one used inside one process.
#include <sys/mman.h>

#include "program.h"

static pthread_mutex_t* robust;

static void* dies_with_it(void* unused) {
  TEST_EQ(pthread_mutex_lock(robust), 0);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
  robust = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  TEST(robust != MAP_FAILED);
  TEST_EQ(pthread_mutex_init(robust, &attr), 0);
  join(start(dies_with_it, NULL));
  TEST_EQ(pthread_mutex_lock(robust), EOWNERDEAD);
  TEST_EQ(pthread_mutex_consistent(robust), 0);
  TEST_EQ(pthread_mutex_unlock(robust), 0);
  TEST_EQ(pthread_mutex_lock(robust), 0);
  TEST_EQ(pthread_mutex_unlock(robust), 0);
  return passed();
}
