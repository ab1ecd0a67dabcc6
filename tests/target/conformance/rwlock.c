// Read-write locks: sharing, exclusion, preference attributes, error returns.
#include "check.h"

static pthread_rwlock_t lock;

static void* try_read(void* unused) {
  (void)unused;
  int error = pthread_rwlock_tryrdlock(&lock);
  if (error == 0) pthread_rwlock_unlock(&lock);
  return (void*)(intptr_t)error;
}
static void* try_write(void* unused) {
  (void)unused;
  int error = pthread_rwlock_trywrlock(&lock);
  if (error == 0) pthread_rwlock_unlock(&lock);
  return (void*)(intptr_t)error;
}

static void readers_share_writers_exclude(void) {
  CHECK_OK(pthread_rwlock_init(&lock, NULL));
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  CHECK_OK(pthread_rwlock_tryrdlock(&lock));
  CHECK_EQ((intptr_t)in_thread(try_read, NULL), 0);
  CHECK_EQ((intptr_t)in_thread(try_write, NULL), EBUSY);
  CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
  for (int i = 0; i < 3; i++) CHECK_OK(pthread_rwlock_unlock(&lock));
  CHECK_EQ((intptr_t)in_thread(try_write, NULL), 0);
  CHECK_OK(pthread_rwlock_wrlock(&lock));
  CHECK_EQ((intptr_t)in_thread(try_read, NULL), EBUSY);
  CHECK_EQ((intptr_t)in_thread(try_write, NULL), EBUSY);
  CHECK_OK(pthread_rwlock_unlock(&lock));
  CHECK_EQ((intptr_t)in_thread(try_read, NULL), 0);
  CHECK_OK(pthread_rwlock_destroy(&lock));
}

static void own_write_lock_is_deadlock(void) {
  CHECK_OK(pthread_rwlock_init(&lock, NULL));
  CHECK_OK(pthread_rwlock_wrlock(&lock));
  CHECK_EQ(pthread_rwlock_wrlock(&lock), EDEADLK);
  CHECK_EQ(pthread_rwlock_rdlock(&lock), EDEADLK);
  CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
  CHECK_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 1000);
  CHECK_EQ(pthread_rwlock_timedwrlock(&lock, &deadline), EDEADLK);
  CHECK_EQ(pthread_rwlock_timedrdlock(&lock, &deadline), EDEADLK);
  CHECK_OK(pthread_rwlock_unlock(&lock));
}

static int log_length;
static char log_of[8];
static void note(char who) { log_of[__atomic_fetch_add(&log_length, 1, __ATOMIC_SEQ_CST)] = who; }

static void* write_then_note(void* unused) {
  CHECK_OK(pthread_rwlock_wrlock(&lock));
  note('w');
  CHECK_OK(pthread_rwlock_unlock(&lock));
  return unused;
}
static void* read_then_note(void* unused) {
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  note('r');
  CHECK_OK(pthread_rwlock_unlock(&lock));
  return unused;
}

static void a_blocked_writer_goes_after_the_reader(void) {
  CHECK_OK(pthread_rwlock_init(&lock, NULL));
  log_length = 0;
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  pthread_t writer = start(write_then_note, NULL);
  sleep_ms(20);
  note('R');
  CHECK_OK(pthread_rwlock_unlock(&lock));
  join(writer);
  CHECK(memcmp(log_of, "Rw", 2) == 0);
}

static void all_blocked_readers_go_after_the_writer(void) {
  pthread_t readers[3];
  CHECK_OK(pthread_rwlock_init(&lock, NULL));
  log_length = 0;
  CHECK_OK(pthread_rwlock_wrlock(&lock));
  for (int i = 0; i < 3; i++) readers[i] = start(read_then_note, NULL);
  sleep_ms(20);
  note('W');
  CHECK_OK(pthread_rwlock_unlock(&lock));
  for (int i = 0; i < 3; i++) join(readers[i]);
  CHECK(memcmp(log_of, "Wrrr", 4) == 0);
}

static void readers_are_preferred_by_default(void) {
  // With a writer blocked, a further reader still gets in (PTHREAD_RWLOCK_PREFER_READER_NP is the default).
  CHECK_OK(pthread_rwlock_init(&lock, NULL));
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  pthread_t writer = start(write_then_note, NULL);
  sleep_ms(20);
  CHECK_EQ((intptr_t)in_thread(try_read, NULL), 0);
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  CHECK_OK(pthread_rwlock_unlock(&lock));
  CHECK_OK(pthread_rwlock_unlock(&lock));
  join(writer);
}

static void writers_can_be_preferred(void) {
  pthread_rwlockattr_t attr;
  int error = 0;
  CHECK_OK(pthread_rwlockattr_init(&attr));
  CHECK_OK(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
  CHECK_OK(pthread_rwlock_init(&lock, &attr));
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  pthread_t writer = start(write_then_note, NULL);
  // Once the writer is blocked, no new reader gets in.
  for (int i = 0; i < 5000 && error == 0; i++) {
    error = pthread_rwlock_tryrdlock(&lock);
    if (error == 0) {
      CHECK_OK(pthread_rwlock_unlock(&lock));
      sleep_ms(1);
    }
  }
  CHECK_EQ(error, EBUSY);
  CHECK_OK(pthread_rwlock_unlock(&lock));
  join(writer);
  CHECK_OK(pthread_rwlock_destroy(&lock));
}

static void attributes(void) {
  pthread_rwlockattr_t attr;
  int value = -1;
  CHECK_OK(pthread_rwlockattr_init(&attr));
  CHECK_OK(pthread_rwlockattr_getpshared(&attr, &value));
  CHECK_EQ(value, PTHREAD_PROCESS_PRIVATE);
  CHECK_OK(pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_rwlockattr_getpshared(&attr, &value));
  CHECK_EQ(value, PTHREAD_PROCESS_SHARED);
  CHECK_EQ(pthread_rwlockattr_setpshared(&attr, 42), EINVAL);
  CHECK_OK(pthread_rwlockattr_getkind_np(&attr, &value));
  CHECK_EQ(value, PTHREAD_RWLOCK_PREFER_READER_NP);
  CHECK_EQ(pthread_rwlockattr_setkind_np(&attr, 42), EINVAL);
  CHECK_OK(pthread_rwlockattr_destroy(&attr));
}

static int readers_inside, writers_inside;
static long value;
static void* mixed_work(void* argument) {
  int self = (int)(intptr_t)argument;
  for (int i = 0; i < 100; i++) {
    if ((i + self) % 4 == 0) {
      CHECK_OK(pthread_rwlock_wrlock(&lock));
      CHECK_EQ(ADD(writers_inside, 1), 1);
      CHECK_EQ(LOAD(readers_inside), 0);
      long seen = value;
      sched_yield();
      value = seen + 1;
      ADD(writers_inside, -1);
    } else {
      CHECK_OK(pthread_rwlock_rdlock(&lock));
      ADD(readers_inside, 1);
      CHECK_EQ(LOAD(writers_inside), 0);
      if (i % 10 == 0) sched_yield();
      ADD(readers_inside, -1);
    }
    CHECK_OK(pthread_rwlock_unlock(&lock));
  }
  return NULL;
}

static void mixed_readers_and_writers(void) {
  pthread_t threads[4];
  CHECK_OK(pthread_rwlock_init(&lock, NULL));
  value = 0;
  for (int i = 0; i < 4; i++) threads[i] = start(mixed_work, (void*)(intptr_t)i);
  for (int i = 0; i < 4; i++) join(threads[i]);
  CHECK_EQ(value, 100);
}

static void* unlock_it(void* unused) {
  (void)unused;
  return (void*)(intptr_t)pthread_rwlock_unlock(&lock);
}

static void another_thread_may_unlock_a_read_lock(void) {
  CHECK_OK(pthread_rwlock_init(&lock, NULL));
  CHECK_OK(pthread_rwlock_rdlock(&lock));
  CHECK_EQ((intptr_t)in_thread(unlock_it, NULL), 0);
  CHECK_OK(pthread_rwlock_trywrlock(&lock));
  CHECK_OK(pthread_rwlock_unlock(&lock));
}

static void static_initialisers(void) {
  pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_t writer = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  CHECK_OK(pthread_rwlock_wrlock(&plain));
  CHECK_OK(pthread_rwlock_unlock(&plain));
  CHECK_OK(pthread_rwlock_rdlock(&writer));
  CHECK_OK(pthread_rwlock_unlock(&writer));
}

CHECK_MAIN(CASE(readers_share_writers_exclude), CASE(own_write_lock_is_deadlock),
           CASE(a_blocked_writer_goes_after_the_reader), CASE(all_blocked_readers_go_after_the_writer),
           CASE(readers_are_preferred_by_default), CASE(writers_can_be_preferred), CASE(attributes),
           CASE(mixed_readers_and_writers), CASE(another_thread_may_unlock_a_read_lock), CASE(static_initialisers))
