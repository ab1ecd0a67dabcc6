// Named semaphores within one process and across fork.
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <sys/stat.h>

#include "check.h"

static const char* name(void) {
  static char text[64];
  snprintf(text, sizeof text, "/xbdbg-conformance-%d", (int)getpid());
  return text;
}

static void open_twice_gives_the_same_semaphore(void) {
  sem_t* first = sem_open(name(), O_CREAT | O_EXCL, 0600, 1);
  CHECK(first != SEM_FAILED);
  sem_t* second = sem_open(name(), 0);
  CHECK(second == first);
  int value = -1;
  CHECK_OK(sem_wait(first));
  CHECK_OK(sem_getvalue(second, &value));
  CHECK_EQ(value, 0);
  CHECK_ERRNO(sem_trywait(second), EAGAIN);
  // The initial value of an existing semaphore is not changed by another open.
  sem_t* third = sem_open(name(), O_CREAT, 0600, 7);
  CHECK(third == first);
  CHECK_OK(sem_getvalue(third, &value));
  CHECK_EQ(value, 0);
  CHECK_OK(sem_close(first));
  CHECK_OK(sem_close(second));
  CHECK_OK(sem_close(third));
  CHECK_OK(sem_unlink(name()));
}

static int open_error(const char* text, int flags, unsigned value) {
  errno = 0;
  sem_t* sem = sem_open(text, flags, 0600, value);
  int error = errno;
  if (sem != SEM_FAILED) sem_close(sem);
  return sem == SEM_FAILED ? error : 0;
}

static void errors(void) {
  char too_long[NAME_MAX + 10];
  memset(too_long, 'x', sizeof too_long);
  too_long[0] = '/';
  too_long[sizeof too_long - 1] = '\0';
  CHECK_EQ(open_error(name(), 0, 0), ENOENT);
  CHECK_EQ(open_error(name(), O_CREAT, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
  CHECK_EQ(open_error("/a/b", O_CREAT, 1), EINVAL);
  CHECK_EQ(open_error("/", O_CREAT, 1), EINVAL);
  CHECK_EQ(open_error(name(), O_CREAT | O_EXCL, 1), 0);
  CHECK_EQ(open_error(name(), O_CREAT | O_EXCL, 1), EEXIST);
  CHECK_OK(sem_unlink(name()));
  CHECK_ERRNO(sem_unlink(name()), ENOENT);
  CHECK_EQ(open_error(too_long, O_CREAT, 1), EINVAL);
  CHECK_ERRNO(sem_unlink(too_long), ENOENT);
  sem_t not_named;
  CHECK_OK(sem_init(&not_named, 0, 0));
  CHECK_ERRNO(sem_close(&not_named), EINVAL);
}

static void* post(void* sem) {
  CHECK_OK(sem_post(sem));
  return NULL;
}

static void threads_meet_at_it(void) {
  sem_t* sem = sem_open(name(), O_CREAT | O_EXCL, 0600, 0);
  CHECK(sem != SEM_FAILED);
  CHECK_OK(sem_unlink(name()));  // lives on until closed
  pthread_t thread = start(post, sem);
  CHECK_OK(sem_wait(sem));
  join(thread);
  CHECK_OK(sem_close(sem));
}

static void post_in_child(void* unused) {
  (void)unused;
  char parent_name[64];
  snprintf(parent_name, sizeof parent_name, "/xbdbg-conformance-%d", (int)getppid());
  sem_t* sem = sem_open(parent_name, 0);
  CHECK(sem != SEM_FAILED);
  CHECK_OK(sem_post(sem));
  CHECK_OK(sem_close(sem));
}

static void a_child_process_posts(void) {
  sem_t* sem = sem_open(name(), O_CREAT | O_EXCL, 0600, 0);
  CHECK(sem != SEM_FAILED);
  CHECK_EQ(in_child(post_in_child, NULL), 0);
  CHECK_OK(sem_wait(sem));
  CHECK_OK(sem_unlink(name()));
  CHECK_OK(sem_close(sem));
}

CHECK_MAIN(CASE(open_twice_gives_the_same_semaphore), CASE(errors), CASE(threads_meet_at_it),
           CASE(a_child_process_posts))
