/* main polls a flag under a lock, without any pause, until another thread has set it. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void* set_done(void* unused) {
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static int is_done(void) {
  pthread_mutex_lock(&lock);
  int now = done;
  pthread_mutex_unlock(&lock);
  return now;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set_done, NULL);
  while (!is_done()) {
  }
  return pthread_join(thread, NULL);
}
