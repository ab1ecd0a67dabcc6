// A named semaphore shared with a child.
#include <semaphore.h>

#include "program.h"

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/xb-program-%d", getpid());
  sem_t* semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  TEST(semaphore != SEM_FAILED);
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 3; i++) sem_post(semaphore);
    _exit(0);
  }
  for (int i = 0; i < 3; i++) TEST_EQ(sem_wait(semaphore), 0);
  TEST_EQ(wait_for(pid), 0);
  TEST_ERRNO(sem_trywait(semaphore), EAGAIN);
  TEST_EQ(sem_unlink(name), 0);
  TEST_EQ(sem_close(semaphore), 0);
  return passed();
}
