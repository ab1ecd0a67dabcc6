// Process-shared objects in shared memory, between a parent and its forked child.
#include <semaphore.h>
#include <sys/mman.h>

#include "check.h"

struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  pthread_barrier_t barrier;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
  sem_t sem, answer;
  long counter;
  int child_ready, turn;
};
static struct Shared* shared;

static void set_up(void) {
  pthread_mutexattr_t mutex_attr;
  pthread_condattr_t cond_attr;
  pthread_barrierattr_t barrier_attr;
  pthread_rwlockattr_t rwlock_attr;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  CHECK_OK(pthread_mutexattr_init(&mutex_attr));
  CHECK_OK(pthread_mutexattr_setpshared(&mutex_attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_mutexattr_setrobust(&mutex_attr, PTHREAD_MUTEX_ROBUST));
  CHECK_OK(pthread_mutex_init(&shared->mutex, &mutex_attr));
  CHECK_OK(pthread_condattr_init(&cond_attr));
  CHECK_OK(pthread_condattr_setpshared(&cond_attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_cond_init(&shared->cond, &cond_attr));
  CHECK_OK(pthread_barrierattr_init(&barrier_attr));
  CHECK_OK(pthread_barrierattr_setpshared(&barrier_attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_barrier_init(&shared->barrier, &barrier_attr, 2));
  CHECK_OK(pthread_rwlockattr_init(&rwlock_attr));
  CHECK_OK(pthread_rwlockattr_setpshared(&rwlock_attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_rwlock_init(&shared->rwlock, &rwlock_attr));
  CHECK_OK(pthread_spin_init(&shared->spin, PTHREAD_PROCESS_SHARED));
  CHECK_OK(sem_init(&shared->sem, 1, 0));
  CHECK_OK(sem_init(&shared->answer, 1, 0));
}

// Both processes run `function` at the same time.
static void both(void (*function)(int)) {
  set_up();
  fflush(NULL);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    check_failed = 0;
    function(1);
    _exit(check_failed ? 99 : 0);
  }
  function(0);
  int status = -1;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK_EQ(status, 0);
}

static void count_under_mutex(int is_child) {
  (void)is_child;
  for (int i = 0; i < 300; i++) {
    CHECK_OK(pthread_mutex_lock(&shared->mutex));
    long seen = shared->counter;
    if (i % 30 == 0) sched_yield();
    shared->counter = seen + 1;
    CHECK_OK(pthread_mutex_unlock(&shared->mutex));
  }
}
static void a_mutex_excludes(void) {
  both(count_under_mutex);
  CHECK_EQ(shared->counter, 600);
}

static void count_under_spin(int is_child) {
  (void)is_child;
  for (int i = 0; i < 300; i++) {
    CHECK_OK(pthread_spin_lock(&shared->spin));
    shared->counter++;
    CHECK_OK(pthread_spin_unlock(&shared->spin));
  }
}
static void a_spin_lock_excludes(void) {
  both(count_under_spin);
  CHECK_EQ(shared->counter, 600);
}

static void take_turns(int is_child) {
  for (int i = 0; i < 50; i++) {
    CHECK_OK(pthread_mutex_lock(&shared->mutex));
    while (shared->turn != is_child) CHECK_OK(pthread_cond_wait(&shared->cond, &shared->mutex));
    shared->turn = !is_child;
    shared->counter++;
    CHECK_OK(pthread_cond_signal(&shared->cond));
    CHECK_OK(pthread_mutex_unlock(&shared->mutex));
  }
}
static void a_condition_hands_over(void) {
  both(take_turns);
  CHECK_EQ(shared->counter, 100);
}

static void meet(int is_child) {
  (void)is_child;
  for (int i = 0; i < 30; i++) {
    ADD(shared->counter, 1);
    int result = pthread_barrier_wait(&shared->barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK_EQ(LOAD(shared->counter), 2 * (i + 1));
    pthread_barrier_wait(&shared->barrier);
  }
}
static void a_barrier_meets(void) { both(meet); }

static void post_and_wait(int is_child) {
  for (int i = 0; i < 50; i++) {
    CHECK_OK(sem_post(is_child ? &shared->answer : &shared->sem));
    CHECK_OK(sem_wait(is_child ? &shared->sem : &shared->answer));
  }
}
static void semaphores_answer_each_other(void) { both(post_and_wait); }

static void read_and_write(int is_child) {
  for (int i = 0; i < 100; i++) {
    if ((i + is_child) % 2) {
      CHECK_OK(pthread_rwlock_wrlock(&shared->rwlock));
      long seen = shared->counter;
      sched_yield();
      shared->counter = seen + 1;
    } else {
      CHECK_OK(pthread_rwlock_rdlock(&shared->rwlock));
    }
    CHECK_OK(pthread_rwlock_unlock(&shared->rwlock));
  }
}
static void a_rwlock_excludes(void) {
  both(read_and_write);
  CHECK_EQ(shared->counter, 100);
}

static void die_with_the_lock(void* unused) {
  (void)unused;
  CHECK_OK(pthread_mutex_lock(&shared->mutex));
  kill(getpid(), SIGKILL);
}
static void exit_with_the_lock(void* unused) {
  (void)unused;
  CHECK_OK(pthread_mutex_lock(&shared->mutex));
}

static void a_dead_child_leaves_its_robust_mutex(void) {
  void (*ways[])(void*) = {die_with_the_lock, exit_with_the_lock};
  for (int i = 0; i < 2; i++) {
    set_up();
    in_child(ways[i], NULL);
    CHECK_EQ(pthread_mutex_lock(&shared->mutex), EOWNERDEAD);
    CHECK_OK(pthread_mutex_consistent(&shared->mutex));
    CHECK_OK(pthread_mutex_unlock(&shared->mutex));
    CHECK_OK(pthread_mutex_lock(&shared->mutex));
    CHECK_OK(pthread_mutex_unlock(&shared->mutex));
  }
}

static void lock_wait_die(int is_child) {
  if (is_child) {
    CHECK_OK(pthread_mutex_lock(&shared->mutex));
    CHECK_OK(sem_post(&shared->sem));
    sleep_ms(20);  // the parent is most probably blocked now
    _exit(0);
  }
  CHECK_OK(sem_wait(&shared->sem));
  CHECK_EQ(pthread_mutex_lock(&shared->mutex), EOWNERDEAD);
  CHECK_OK(pthread_mutex_consistent(&shared->mutex));
  CHECK_OK(pthread_mutex_unlock(&shared->mutex));
}
static void a_blocked_parent_wakes_when_the_child_dies(void) { both(lock_wait_die); }

static void wait_with_timeouts(int is_child) {
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  if (is_child) {
    CHECK_ERRNO(sem_timedwait(&shared->sem, &deadline), ETIMEDOUT);
    CHECK_OK(pthread_mutex_lock(&shared->mutex));
    deadline = time_after_ms(CLOCK_REALTIME, 20);
    CHECK_EQ(pthread_cond_timedwait(&shared->cond, &shared->mutex, &deadline), ETIMEDOUT);
    CHECK_OK(sem_post(&shared->answer));
    sleep_ms(60);
    CHECK_OK(pthread_mutex_unlock(&shared->mutex));
    return;
  }
  CHECK_OK(sem_wait(&shared->answer));
  deadline = time_after_ms(CLOCK_REALTIME, 5);
  int error = pthread_mutex_timedlock(&shared->mutex, &deadline);
  CHECK(error == ETIMEDOUT || error == 0);
  if (error == 0) CHECK_OK(pthread_mutex_unlock(&shared->mutex));
}
static void timeouts_across_processes(void) { both(wait_with_timeouts); }

static void unlock_for_the_parent(void* unused) {
  (void)unused;
  sleep_ms(5);
  CHECK_OK(pthread_spin_unlock(&shared->spin));
  CHECK_OK(sem_post(&shared->sem));
}
static void a_child_unlocks_what_the_parent_locked(void) {
  set_up();
  CHECK_OK(pthread_spin_lock(&shared->spin));
  pid_t pid = fork();
  if (pid == 0) {
    unlock_for_the_parent(NULL);
    _exit(0);
  }
  CHECK_OK(pthread_spin_lock(&shared->spin));  // no deadlock: another process can release it
  CHECK_OK(sem_wait(&shared->sem));
  CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

static void* post_one(void* unused) {
  CHECK_OK(sem_post(&shared->sem));
  return unused;
}
static void* wait_one(void* unused) {
  CHECK_OK(sem_wait(&shared->sem));
  ADD(shared->counter, 1);
  return unused;
}
static void threads_on_both_sides_run(int is_child) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = start(is_child ? post_one : wait_one, NULL);
  for (int i = 0; i < 4; i++) join(threads[i]);
}
static void threads_on_both_sides(void) {
  both(threads_on_both_sides_run);
  CHECK_EQ(shared->counter, 4);
}

CHECK_MAIN(CASE(a_mutex_excludes), CASE(a_spin_lock_excludes), CASE(a_condition_hands_over), CASE(a_barrier_meets),
           CASE(semaphores_answer_each_other), CASE(a_rwlock_excludes), CASE(a_dead_child_leaves_its_robust_mutex),
           CASE(a_blocked_parent_wakes_when_the_child_dies), CASE(timeouts_across_processes),
           CASE(a_child_unlocks_what_the_parent_locked), CASE(threads_on_both_sides))
