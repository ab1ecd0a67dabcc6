// A System V segment, attached twice in one process, used by two threads.
#include <sys/shm.h>

#include "program.h"

static int* first;

static void* writer(void* unused) {
  for (int i = 0; i < 1000; i++) first[i] = i * 3;
  return unused;
}

int main(void) {
  struct shmid_ds info;
  int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  TEST(id >= 0);
  first = shmat(id, NULL, 0);
  TEST(first != (void*)-1);
  int* second = shmat(id, NULL, SHM_RDONLY);
  TEST(second != (void*)-1 && second != first);
  TEST_EQ(shmctl(id, IPC_RMID, NULL), 0);
  join(start(writer, NULL));
  for (int i = 0; i < 1000; i++) TEST_EQ(second[i], i * 3);
  TEST_EQ(shmctl(id, IPC_STAT, &info), 0);
  TEST_EQ(info.shm_nattch, 2);
  TEST_EQ(info.shm_segsz, 4096);
  TEST_EQ(shmdt(first), 0);
  TEST_EQ(second[999], 2997);
  TEST_EQ(shmdt(second), 0);
  TEST_ERRNO(shmdt(second), EINVAL);
  return passed();
}
