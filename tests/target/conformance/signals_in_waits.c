// A signal handler that itself synchronises (sem_post is async-signal-safe) runs while its thread is blocked in
// another operation; afterwards the interrupted wait must go on as if nothing had happened.
#include <semaphore.h>

#include "check.h"

enum { kThreads = 3, kSignals = 10 };

static sem_t posted, permit;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_t to_join;
static int released, passed, pipe_fds[2];

static void post(int signal_number) {
  (void)signal_number;
  int saved = errno;
  sem_post(&posted);
  errno = saved;
}
static void* wait_for_release(void* unused) {
  while (!LOAD(released)) sleep_ms(1);
  return unused;
}

static void in_mutex(void) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_OK(pthread_mutex_unlock(&mutex));
}
static void in_rdlock(void) {
  CHECK_OK(pthread_rwlock_rdlock(&rwlock));
  CHECK_OK(pthread_rwlock_unlock(&rwlock));
}
static void in_wrlock(void) {
  CHECK_OK(pthread_rwlock_wrlock(&rwlock));
  CHECK_OK(pthread_rwlock_unlock(&rwlock));
}
static void in_spin(void) {
  CHECK_OK(pthread_spin_lock(&spin));
  CHECK_OK(pthread_spin_unlock(&spin));
}
static void in_cond(void) {
  CHECK_OK(pthread_mutex_lock(&cond_mutex));
  while (!LOAD(released)) CHECK_OK(pthread_cond_wait(&cond, &cond_mutex));
  CHECK_OK(pthread_mutex_unlock(&cond_mutex));
}
static void in_barrier(void) {
  int result = pthread_barrier_wait(&barrier);
  CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
}
static void in_sem(void) {
  while (sem_wait(&permit) != 0) CHECK_EQ(errno, EINTR);
}
static void in_nanosleep(void) {
  while (!LOAD(released)) nanosleep(&(struct timespec){0, 5000000}, NULL);
}
static void in_read(void) {
  char byte;
  ssize_t n;
  while ((n = read(pipe_fds[0], &byte, 1)) < 0) CHECK_EQ(errno, EINTR);
  CHECK_EQ(n, 1);
}
static void in_nothing(void) { CHECK_EQ(pthread_tryjoin_np(pthread_self(), NULL), EBUSY); }

struct Wait {
  const char* name;
  void (*wait)(void);
};
static const struct Wait waits[] = {{"mutex", in_mutex},    {"rdlock", in_rdlock},   {"wrlock", in_wrlock},
                                    {"spin", in_spin},      {"cond", in_cond},       {"barrier", in_barrier},
                                    {"sem", in_sem},        {"sleep", in_nanosleep}, {"read", in_read},
                                    {"nothing", in_nothing}};

static void hold_everything(void) {
  STORE(released, 0);
  passed = 0;
  CHECK_OK(sem_init(&posted, 0, 0));
  CHECK_OK(sem_init(&permit, 0, 0));
  CHECK_OK(pipe(pipe_fds));
  CHECK_OK(pthread_spin_init(&spin, 0));
  CHECK_OK(pthread_barrier_init(&barrier, NULL, kThreads + 1));
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_OK(pthread_rwlock_wrlock(&rwlock));
  CHECK_OK(pthread_spin_lock(&spin));
}
static void release_everything(const struct Wait* what) {
  STORE(released, 1);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_OK(pthread_rwlock_unlock(&rwlock));
  CHECK_OK(pthread_spin_unlock(&spin));
  CHECK_OK(pthread_mutex_lock(&cond_mutex));
  CHECK_OK(pthread_cond_broadcast(&cond));
  CHECK_OK(pthread_mutex_unlock(&cond_mutex));
  for (int i = 0; i < kThreads; i++) CHECK_OK(sem_post(&permit));
  CHECK_EQ(write(pipe_fds[1], "abc", kThreads), kThreads);
  if (what->wait == in_barrier) in_barrier();
}

static void* wait_in(void* what) {
  ((const struct Wait*)what)->wait();
  ADD(passed, 1);
  // Stays, so that a signal sent late still finds its thread.
  return wait_for_release(NULL);
}

static void await_posts(int count) {
  for (int i = 0; i < count; i++)
    while (sem_wait(&posted) != 0) CHECK_EQ(errno, EINTR);
}

static void run(const struct Wait* what, int process_directed) {
  pthread_t threads[kThreads];
  hold_everything();
  for (int t = 0; t < kThreads; t++) threads[t] = start(wait_in, (void*)what);
  for (int i = 0; i < kSignals; i++) {
    if (process_directed) {
      CHECK_OK(kill(getpid(), SIGUSR1));
      await_posts(1);
    } else {
      for (int t = 0; t < kThreads; t++) CHECK_OK(pthread_kill(threads[t], SIGUSR1));
      await_posts(kThreads);
    }
  }
  if (what->wait != in_nothing) CHECK_EQ(LOAD(passed), 0);
  release_everything(what);
  for (int t = 0; t < kThreads; t++) join(threads[t]);
  if (!CHECK_EQ(passed, kThreads)) printf("  %s\n", what->name);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
}

static void install(void) {
  struct sigaction action = {.sa_handler = post};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
}

static void signals_to_each_thread(void) {
  install();
  for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) run(&waits[i], 0);
}
static void signals_to_the_process(void) {
  install();
  for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) run(&waits[i], 1);
}

static void* join_the_other(void* unused) {
  CHECK_EQ((intptr_t)join(to_join), 5);
  return unused;
}
static void a_joining_thread(void) {
  install();
  STORE(released, 0);
  CHECK_OK(sem_init(&posted, 0, 0));
  to_join = start(wait_for_release, (void*)5);
  pthread_t joiner = start(join_the_other, NULL);
  for (int i = 0; i < kSignals; i++) {
    CHECK_OK(pthread_kill(joiner, SIGUSR1));
    await_posts(1);
  }
  STORE(released, 1);
  join(joiner);
}

CHECK_MAIN(CASE(signals_to_each_thread), CASE(signals_to_the_process), CASE(a_joining_thread))
