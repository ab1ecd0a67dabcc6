// Thread-local variables and keys with destructors.
#include "program.h"

static __thread int counter = 5;
static __thread char buffer[1000];
static pthread_key_t key;
static int destroyed;

static void destroy(void* value) { ADD(destroyed, *(int*)value); }

static void* worker(void* argument) {
  int mine = (int)(long)argument;
  TEST_EQ(counter, 5);
  counter += mine;
  memset(buffer, mine, sizeof buffer);
  int* value = malloc(sizeof *value);
  *value = mine;
  TEST_EQ(pthread_setspecific(key, value), 0);
  sched_yield();
  TEST_EQ(counter, 5 + mine);
  TEST_EQ(buffer[999], mine);
  TEST(pthread_getspecific(key) == value);
  errno = mine;
  sched_yield();
  TEST_EQ(errno, mine);
  return NULL;
}

int main(void) {
  pthread_t threads[10];
  TEST_EQ(pthread_key_create(&key, destroy), 0);
  for (long i = 0; i < 10; i++) threads[i] = start(worker, (void*)(i + 1));
  for (int i = 0; i < 10; i++) join(threads[i]);
  TEST_EQ(destroyed, 55);
  TEST_EQ(counter, 5);
  return passed();
}
