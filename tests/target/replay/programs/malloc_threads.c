// Several threads allocate and free each other's memory; arenas, large blocks, aligned blocks.
#include <malloc.h>

#include "program.h"

enum { kThreads = 6, kSlots = 64 };
static char* slots[kSlots];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* worker(void* argument) {
  unsigned state = (unsigned)(long)argument * 2654435761u + 1;
  for (int i = 0; i < 400; i++) {
    state = state * 1664525 + 1013904223;
    size_t size = state % 17 == 0 ? 300000 : state >> 22;
    char* fresh = state % 5 ? malloc(size + 1) : aligned_alloc(64, (size + 64) & ~(size_t)63);
    TEST(fresh != NULL);
    memset(fresh, 'm', size);
    pthread_mutex_lock(&mutex);
    char* old = slots[state % kSlots];
    slots[state % kSlots] = fresh;
    pthread_mutex_unlock(&mutex);
    free(old);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; i++) threads[i] = start(worker, (void*)i);
  for (int i = 0; i < kThreads; i++) join(threads[i]);
  uintptr_t mix = 0;
  for (int i = 0; i < kSlots; i++) mix = mix * 31 + (uintptr_t)slots[i];
  printf("where they ended up %lx\n", (unsigned long)mix);
  malloc_trim(0);
  return passed();
}
