/* c11_threads - a hand-over with the threads, mutexes, conditions, storage and call_once of C11.
 *
 * Wrong:       nothing. Every schedule hands over the three values in order.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <threads.h>

enum { kValues = 3 };

static once_flag once = ONCE_FLAG_INIT;
static mtx_t slot_lock;
static cnd_t slot_changed;
static tss_t last_seen;
static int slot; /* 0: empty */

static void initialise(void) {
  mtx_init(&slot_lock, mtx_plain);
  cnd_init(&slot_changed);
  tss_create(&last_seen, NULL);
}

static int give(void* unused) {
  (void)unused;
  call_once(&once, initialise);
  for (int value = 1; value <= kValues; value++) {
    mtx_lock(&slot_lock);
    while (slot != 0) cnd_wait(&slot_changed, &slot_lock);
    slot = value;
    cnd_signal(&slot_changed);
    mtx_unlock(&slot_lock);
  }
  return 0;
}

static int take(void* values) {
  call_once(&once, initialise);
  int* next = values;
  for (int i = 0; i < kValues; i++) {
    mtx_lock(&slot_lock);
    while (slot == 0) cnd_wait(&slot_changed, &slot_lock);
    next[i] = slot;
    slot = 0;
    cnd_signal(&slot_changed);
    mtx_unlock(&slot_lock);
    tss_set(last_seen, &next[i]);
  }
  return *(int*)tss_get(last_seen);
}

int main(void) {
  int taken[kValues] = {0}, result = 0;
  thrd_t giver, taker;
  thrd_create(&giver, give, NULL);
  thrd_create(&taker, take, taken);
  thrd_join(giver, NULL);
  thrd_join(taker, &result);
  assert(result == kValues);
  printf("taken %d %d %d\n", taken[0], taken[1], taken[2]);
  return 0;
}
