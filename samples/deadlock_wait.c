/* deadlock_wait - a thread waits for a condition while it holds the lock the notifier needs first.
 * (D. Bruening, Systematic Testing of Multithreaded Java Programs, MIT 1999, figure 4.10.)
 *
 * Wrong:       the first thread holds a while it waits on b's condition; the second takes and releases a before it
 *              notifies. Also, nothing remembers a notification that comes before the wait.
 * Shown by:    the first thread runs first, waits, and the second blocks on a. (In the other order the notification
 *              is lost and the first thread waits for ever.)
 * Preemptions: 0, every schedule that lets the first thread wait before the second has taken a
 * Blocks:      first: wait, unlock b, unlock a, end. Second: unlock a, unlock b, end.
 * Paths:       ExitBlock-DD: 8 (2 undone), condition deadlock on the first. RWDD: 3 (1), on the first.
 * Fix:         wait without holding a, and for a predicate that the notifier sets.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t b_changed = PTHREAD_COND_INITIALIZER;

#ifdef FIXED
static int notified;

static void* wait_for_b(void* unused) {
  (void)unused;
  pthread_mutex_lock(&b);
  while (!notified) pthread_cond_wait(&b_changed, &b);
  pthread_mutex_unlock(&b);
  return NULL;
}
#else
static void* wait_for_b(void* unused) {
  (void)unused;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_cond_wait(&b_changed, &b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return NULL;
}
#endif

static void* notify_b(void* unused) {
  (void)unused;
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
#ifdef FIXED
  notified = 1;
#endif
  pthread_cond_signal(&b_changed);
  pthread_mutex_unlock(&b);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_b, NULL);
  pthread_create(&thread, NULL, notify_b, NULL);
  pthread_exit(NULL);
}
