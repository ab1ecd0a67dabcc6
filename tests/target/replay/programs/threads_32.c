// Thirty-two threads, each with files, pipes and memory of its own.
#include "program.h"

static void* worker(void* argument) {
  long mine = (long)argument;
  char name[32], buffer[256], got[256];
  int fds[2];
  snprintf(name, sizeof name, "file-%ld", mine);
  TEST_EQ(pipe(fds), 0);
  int fd = open(name, O_RDWR | O_CREAT, 0600);
  TEST(fd >= 0);
  for (int i = 0; i < 10; i++) {
    fill((unsigned char*)buffer, sizeof buffer, (unsigned)(mine * 10 + i));
    TEST_EQ(write(fds[1], buffer, sizeof buffer), sizeof buffer);
    read_all(fds[0], got, sizeof got);
    TEST_EQ(pwrite(fd, got, sizeof got, i * 256), 256);
    if (i == (int)mine % 10) sleep_ms(1);
  }
  TEST_EQ(pread(fd, got, sizeof got, 9 * 256), 256);
  TEST(memcmp(buffer, got, sizeof got) == 0);
  close(fd);
  close(fds[0]);
  close(fds[1]);
  return (void*)(mine * mine);
}

int main(void) {
  pthread_t threads[32];
  for (long i = 0; i < 32; i++) threads[i] = start(worker, (void*)i);
  for (long i = 0; i < 32; i++) TEST_EQ((long)join(threads[i]), i * i);
  return passed();
}
