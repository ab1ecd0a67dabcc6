// The main thread ends by pthread_exit; the process lives until the last thread has ended.
#include "program.h"

static pthread_t main_thread;

static void* last(void* unused) {
  join(main_thread);
  sleep_ms(2);
  passed();
  return unused;
}

int main(void) {
  main_thread = pthread_self();
  start(last, NULL);
  pthread_exit(NULL);
}
