/* destroy_early - an object's mutex is destroyed while a thread still holds it.
 *
 * Wrong:       the user gives its reference back while it is still inside the object. The destroy fails, and nobody
 *              looks at its result (EBUSY); with the memory freed it would be a use after free.
 * Shown by:    the user gives the reference back; the owner sees no user, and destroys; the user unlocks.
 * Preemptions: 1 (the user, after it has given the reference back)
 * Fix:         leave the object first, then give the reference back.
 * Needs memory-access switch points: no
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t object_lock = PTHREAD_MUTEX_INITIALIZER;
static int users;
static bool closed;

static bool add_user(int change) {
  pthread_mutex_lock(&count_lock);
  bool open = !closed;
  if (open) users += change;
  pthread_mutex_unlock(&count_lock);
  return open;
}

static void* use(void* unused) {
  (void)unused;
  if (!add_user(1)) return NULL;
  pthread_mutex_lock(&object_lock);
#ifdef FIXED
  pthread_mutex_unlock(&object_lock);
  add_user(-1);
#else
  add_user(-1);
  pthread_mutex_unlock(&object_lock);
#endif
  return NULL;
}

static void* close_if_unused(void* unused) {
  (void)unused;
  pthread_mutex_lock(&count_lock);
  bool closing = closed = users == 0;
  pthread_mutex_unlock(&count_lock);
  if (closing) pthread_mutex_destroy(&object_lock);
  return NULL;
}

int main(void) {
  pthread_t user, owner;
  pthread_create(&user, NULL, use, NULL);
  pthread_create(&owner, NULL, close_if_unused, NULL);
  pthread_join(user, NULL);
  pthread_join(owner, NULL);
  printf("users %d\n", users);
  return 0;
}
