/* lock_order - a lock-order inversion that no single function shows.
 *
 * Wrong:       add_entry holds the table and calls write_log, which takes the log. rotate_log holds the log and calls
 *              count_entries, which takes the table.
 * Shown by:    one thread is in add_entry and holds the table, the other in rotate_log and holds the log.
 * Preemptions: 1 (either thread between its two locks)
 * Fix:         rotate_log counts the entries before it takes the log.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int entries, log_lines, entries_at_rotation;

static void write_log(void) {
  pthread_mutex_lock(&log_lock);
  log_lines++;
  pthread_mutex_unlock(&log_lock);
}

static int count_entries(void) {
  pthread_mutex_lock(&table_lock);
  int count = entries;
  pthread_mutex_unlock(&table_lock);
  return count;
}

static void* add_entry(void* unused) {
  (void)unused;
  pthread_mutex_lock(&table_lock);
  entries++;
  write_log();
  pthread_mutex_unlock(&table_lock);
  return NULL;
}

static void* rotate_log(void* unused) {
  (void)unused;
#ifdef FIXED
  int count = count_entries();
  pthread_mutex_lock(&log_lock);
#else
  pthread_mutex_lock(&log_lock);
  int count = count_entries();
#endif
  entries_at_rotation = count;
  pthread_mutex_unlock(&log_lock);
  return NULL;
}

int main(void) {
  pthread_t adder, rotator;
  pthread_create(&adder, NULL, add_entry, NULL);
  pthread_create(&rotator, NULL, rotate_log, NULL);
  pthread_join(adder, NULL);
  pthread_join(rotator, NULL);
  printf("entries %d, log lines %d\n", entries, log_lines);
  return 0;
}
