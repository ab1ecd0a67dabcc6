/* once_init - three threads initialise a table with pthread_once.
 *
 * Wrong:       nothing. The initialiser runs once, and nobody passes before it is done.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 3 };

static pthread_once_t table_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int table[4], initialisations;

static void initialise_table(void) {
  pthread_mutex_lock(&table_lock); /* others get a chance to run in the middle of the initialiser */
  initialisations++;
  pthread_mutex_unlock(&table_lock);
  for (int i = 0; i < 4; i++) table[i] = i * i;
}

static void* use_table(void* unused) {
  (void)unused;
  pthread_once(&table_once, initialise_table);
  assert(table[3] == 9);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, use_table, NULL);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  assert(initialisations == 1);
  printf("initialisations %d\n", initialisations);
  return 0;
}
