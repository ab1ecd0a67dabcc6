/* self_deadlock - a function that takes the lock is called with the lock held, on a rare path.
 *
 * Wrong:       draw calls refill when the tank is empty, and refill takes the lock that draw holds.
 * Shown by:    draw comes before the first delivery. Started in order the delivery is first, and all is well.
 * Preemptions: 0 (the drawing thread is chosen when main waits)
 * Fix:         draw calls the part of refill that expects the lock to be held.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t tank_lock = PTHREAD_MUTEX_INITIALIZER;
static int level, drawn;

static void refill_locked(void) { level = 10; }

static void* refill(void* unused) {
  (void)unused;
  pthread_mutex_lock(&tank_lock);
  refill_locked();
  pthread_mutex_unlock(&tank_lock);
  return NULL;
}

static void* draw(void* unused) {
  (void)unused;
  pthread_mutex_lock(&tank_lock);
  if (level == 0) {
#ifdef FIXED
    refill_locked();
#else
    refill(NULL);
#endif
  }
  level--;
  drawn++;
  pthread_mutex_unlock(&tank_lock);
  return NULL;
}

int main(void) {
  pthread_t delivery, customer;
  pthread_create(&delivery, NULL, refill, NULL);
  pthread_create(&customer, NULL, draw, NULL);
  pthread_join(delivery, NULL);
  pthread_join(customer, NULL);
  printf("drawn %d\n", drawn);
  return 0;
}
