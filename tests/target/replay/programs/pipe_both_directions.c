// Two threads write more than a pipe holds to each other at the same time, each with a thread that reads.
#include "program.h"

enum { kSize = 400000 };
static unsigned char data[kSize];

static void* writer(void* argument) {
  int fd = *(int*)argument;
  TEST_EQ(write(fd, data, kSize), kSize);
  close(fd);
  return NULL;
}

static void* reader(void* argument) {
  unsigned char* got = malloc(kSize);
  read_all(*(int*)argument, got, kSize);
  TEST(memcmp(got, data, kSize) == 0);
  free(got);
  return NULL;
}

int main(void) {
  int one[2], two[2];
  fill(data, kSize, 1);
  TEST_EQ(pipe(one), 0);
  TEST_EQ(pipe(two), 0);
  pthread_t threads[4] = {start(writer, &one[1]), start(writer, &two[1]), start(reader, &one[0]),
                          start(reader, &two[0])};
  for (int i = 0; i < 4; i++) join(threads[i]);
  return passed();
}
