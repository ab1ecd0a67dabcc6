// pthread_setname_np and pthread_getname_np.
#include <sys/prctl.h>

#include "check.h"

static int stop;
static void* run_until_stopped(void* unused) {
  while (!LOAD(stop)) sleep_ms(1);
  return unused;
}

static int name_is(pthread_t thread, const char* expected) {
  char name[16] = "?";
  CHECK_OK(pthread_getname_np(thread, name, sizeof name));
  return strcmp(name, expected) == 0;
}

static void own_name(void) {
  CHECK_OK(pthread_setname_np(pthread_self(), "main-name"));
  CHECK(name_is(pthread_self(), "main-name"));
  char name[16];
  CHECK_OK(prctl(PR_GET_NAME, name));
  CHECK(strcmp(name, "main-name") == 0);
  CHECK_OK(prctl(PR_SET_NAME, "by-prctl"));
  CHECK(name_is(pthread_self(), "by-prctl"));
}

static void another_threads_name(void) {
  STORE(stop, 0);
  pthread_t thread = start(run_until_stopped, NULL);
  CHECK_OK(pthread_setname_np(thread, "worker"));
  CHECK(name_is(thread, "worker"));
  CHECK(!name_is(pthread_self(), "worker"));
  CHECK_OK(pthread_setname_np(thread, ""));
  CHECK(name_is(thread, ""));
  CHECK_OK(pthread_setname_np(thread, "123456789012345"));
  CHECK(name_is(thread, "123456789012345"));
  STORE(stop, 1);
  join(thread);
}

static void* look_at_own_name(void* expected) {
  CHECK(name_is(pthread_self(), expected));
  return NULL;
}

static void a_new_thread_inherits_the_name(void) {
  CHECK_OK(pthread_setname_np(pthread_self(), "parent"));
  in_thread(look_at_own_name, "parent");
}

static void errors(void) {
  char small[5];
  CHECK_EQ(pthread_setname_np(pthread_self(), "1234567890123456"), ERANGE);
  CHECK_EQ(pthread_getname_np(pthread_self(), small, sizeof small), ERANGE);
}

CHECK_MAIN(CASE(own_name), CASE(another_threads_name), CASE(a_new_thread_inherits_the_name), CASE(errors))
