/* double_checked_init - the unlocked first check sees an object that is not filled in yet.
 *
 * Wrong:       `instance` is set before the object it points to has its value.
 * Shown by:    one thread publishes the pointer; the other sees it, takes no lock, and reads value 0.
 * Preemptions: 1, between two plain memory accesses
 * Fix:         fill in the object first, then publish it with a release store, and read it with an acquire load.
 * Needs memory-access switch points: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct config {
  int value;
};

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static struct config storage;

/* Not inlined, so that the compiler keeps the order the source gives. */
__attribute__((noinline)) static void fill_in(struct config* config) { config->value = 42; }

#ifdef FIXED
static struct config* _Atomic instance;

static struct config* get_config(void) {
  struct config* config = atomic_load_explicit(&instance, memory_order_acquire);
  if (config) return config;
  pthread_mutex_lock(&init_lock);
  if (!atomic_load_explicit(&instance, memory_order_relaxed)) {
    fill_in(&storage);
    atomic_store_explicit(&instance, &storage, memory_order_release);
  }
  pthread_mutex_unlock(&init_lock);
  return &storage;
}
#else
static struct config* volatile instance;

static struct config* get_config(void) {
  if (!instance) {
    pthread_mutex_lock(&init_lock);
    if (!instance) {
      instance = &storage;
      fill_in(instance);
    }
    pthread_mutex_unlock(&init_lock);
  }
  return instance;
}
#endif

static void* use_config(void* unused) {
  (void)unused;
  assert(get_config()->value == 42);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, use_config, NULL);
  pthread_create(&second, NULL, use_config, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  printf("value %d\n", get_config()->value);
  return 0;
}
