/* A library that plugin_host loads while it runs: a lock of its own, used by its caller and by a thread of its own.
 */
#include <pthread.h>

static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;
static int uses;

static void* plugin_worker(void* unused) {
  pthread_mutex_lock(&plugin_lock); /* the worker's line */
  uses++;
  pthread_mutex_unlock(&plugin_lock);
  return unused;
}

int plugin_use(void) {
  pthread_mutex_lock(&plugin_lock);
  uses++;
  pthread_mutex_unlock(&plugin_lock);
  pthread_t worker;
  pthread_create(&worker, NULL, plugin_worker, NULL);
  pthread_join(worker, NULL);
  return uses;
}
