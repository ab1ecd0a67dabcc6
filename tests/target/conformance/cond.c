// Condition variables: wake-ups, the mutex around them, attributes, errors.
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, allowed, woken;

static void reset(void) { waiting = allowed = woken = 0; }

static void* wait_for_permit(void* unused) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  waiting++;
  while (allowed == 0) CHECK_OK(pthread_cond_wait(&cond, &mutex));
  allowed--;
  woken++;
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return unused;
}

static int locked_read(int* variable) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  int value = *variable;
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return value;
}

static void a_signal_wakes_one(void) {
  pthread_t threads[3];
  reset();
  for (int i = 0; i < 3; i++) threads[i] = start(wait_for_permit, NULL);
  WAIT_UNTIL(locked_read(&waiting) == 3);
  for (int i = 1; i <= 3; i++) {
    CHECK_OK(pthread_mutex_lock(&mutex));
    CHECK_EQ(woken, i - 1);
    allowed = 1;
    CHECK_OK(pthread_cond_signal(&cond));
    CHECK_OK(pthread_mutex_unlock(&mutex));
    WAIT_UNTIL(locked_read(&woken) == i);
  }
  for (int i = 0; i < 3; i++) join(threads[i]);
}

static void a_broadcast_wakes_all(void) {
  pthread_t threads[8];
  reset();
  for (int i = 0; i < 8; i++) threads[i] = start(wait_for_permit, NULL);
  WAIT_UNTIL(locked_read(&waiting) == 8);
  CHECK_OK(pthread_mutex_lock(&mutex));
  allowed = 8;
  CHECK_OK(pthread_cond_broadcast(&cond));
  CHECK_EQ(woken, 0);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  for (int i = 0; i < 8; i++) join(threads[i]);
  CHECK_EQ(woken, 8);
}

static void signalling_without_the_mutex_and_without_waiters(void) {
  reset();
  CHECK_OK(pthread_cond_signal(&cond));
  CHECK_OK(pthread_cond_broadcast(&cond));
  // Nothing was stored: a later waiter waits.
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(pthread_cond_timedwait(&cond, &mutex, &deadline), ETIMEDOUT);
  CHECK_OK(pthread_mutex_unlock(&mutex));
  pthread_t thread = start(wait_for_permit, NULL);
  WAIT_UNTIL(locked_read(&waiting) == 1);
  CHECK_OK(pthread_mutex_lock(&mutex));
  allowed = 1;
  CHECK_OK(pthread_mutex_unlock(&mutex));
  CHECK_OK(pthread_cond_signal(&cond));
  join(thread);
}

static void* wait_and_check_owner(void* argument) {
  pthread_mutex_t* checked = argument;
  CHECK_OK(pthread_mutex_lock(checked));
  waiting = 1;
  while (!allowed) CHECK_OK(pthread_cond_wait(&cond, checked));
  CHECK_EQ(pthread_mutex_lock(checked), EDEADLK);  // held again, by this thread
  CHECK_OK(pthread_mutex_unlock(checked));
  CHECK_EQ(pthread_mutex_unlock(checked), EPERM);
  return NULL;
}

static void the_mutex_is_released_and_retaken(void) {
  pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  reset();
  pthread_t thread = start(wait_and_check_owner, &checked);
  WAIT_UNTIL(LOAD(waiting));
  CHECK_OK(pthread_mutex_lock(&checked));  // possible only because the waiter released it
  allowed = 1;
  CHECK_OK(pthread_cond_broadcast(&cond));
  CHECK_OK(pthread_mutex_unlock(&checked));
  join(thread);
}

static void waiting_without_the_mutex_is_refused(void) {
  pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 1000);
  CHECK_EQ(pthread_cond_wait(&fresh, &checked), EPERM);
  CHECK_EQ(pthread_cond_timedwait(&fresh, &checked, &deadline), EPERM);
  CHECK_EQ(pthread_cond_wait(&fresh, &recursive), EPERM);
}

static void* wait_with_depth_two(void* argument) {
  pthread_mutex_t* recursive = argument;
  CHECK_OK(pthread_mutex_lock(recursive));
  CHECK_OK(pthread_mutex_lock(recursive));
  struct timespec deadline = time_after_ms(CLOCK_REALTIME, 20);
  CHECK_EQ(pthread_cond_timedwait(&cond, recursive, &deadline), ETIMEDOUT);
  CHECK_OK(pthread_mutex_unlock(recursive));
  CHECK_OK(pthread_mutex_unlock(recursive));
  CHECK_EQ(pthread_mutex_unlock(recursive), EPERM);
  return NULL;
}

static void a_recursive_mutex_keeps_its_depth(void) {
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  in_thread(wait_with_depth_two, &recursive);
}

static void attributes(void) {
  pthread_condattr_t attr;
  pthread_cond_t own;
  int shared = -1;
  clockid_t clock = -1;
  CHECK_OK(pthread_condattr_init(&attr));
  CHECK_OK(pthread_condattr_getpshared(&attr, &shared));
  CHECK_EQ(shared, PTHREAD_PROCESS_PRIVATE);
  CHECK_OK(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  CHECK_OK(pthread_condattr_getpshared(&attr, &shared));
  CHECK_EQ(shared, PTHREAD_PROCESS_SHARED);
  CHECK_EQ(pthread_condattr_setpshared(&attr, 42), EINVAL);
  CHECK_OK(pthread_condattr_getclock(&attr, &clock));
  CHECK_EQ(clock, CLOCK_REALTIME);
  CHECK_OK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
  CHECK_OK(pthread_condattr_getclock(&attr, &clock));
  CHECK_EQ(clock, CLOCK_MONOTONIC);
  CHECK_EQ(pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
  CHECK_EQ(pthread_condattr_setclock(&attr, 12345), EINVAL);
  CHECK_OK(pthread_cond_init(&own, &attr));
  CHECK_OK(pthread_cond_destroy(&own));
  CHECK_OK(pthread_condattr_destroy(&attr));
}

static pthread_cond_t* heap_cond;
static void* wait_on_heap_cond(void* unused) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  waiting++;
  while (!allowed) CHECK_OK(pthread_cond_wait(heap_cond, &mutex));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  return unused;
}

static void destroying_right_after_the_broadcast(void) {
  // Allowed by POSIX: destroy waits for woken threads to leave the object.
  for (int round = 0; round < 20; round++) {
    pthread_t threads[3];
    reset();
    heap_cond = malloc(sizeof *heap_cond);
    CHECK_OK(pthread_cond_init(heap_cond, NULL));
    for (int i = 0; i < 3; i++) threads[i] = start(wait_on_heap_cond, NULL);
    WAIT_UNTIL(locked_read(&waiting) == 3);
    CHECK_OK(pthread_mutex_lock(&mutex));
    allowed = 1;
    CHECK_OK(pthread_cond_broadcast(heap_cond));
    CHECK_OK(pthread_mutex_unlock(&mutex));
    CHECK_OK(pthread_cond_destroy(heap_cond));
    memset(heap_cond, 0xff, sizeof *heap_cond);
    for (int i = 0; i < 3; i++) join(threads[i]);
    free(heap_cond);
  }
}

static int turn;
static void* ping_pong(void* argument) {
  int self = (int)(intptr_t)argument;
  for (int i = 0; i < 200; i++) {
    CHECK_OK(pthread_mutex_lock(&mutex));
    while (turn != self) CHECK_OK(pthread_cond_wait(&cond, &mutex));
    turn = !self;
    CHECK_OK(pthread_cond_signal(&cond));
    CHECK_OK(pthread_mutex_unlock(&mutex));
  }
  return NULL;
}

static void ping_pong_of_two(void) {
  pthread_t other = start(ping_pong, (void*)1);
  ping_pong((void*)0);
  join(other);
  CHECK_EQ(turn, 0);
}

static int handled;
static void count_signal(int signal_number) {
  (void)signal_number;
  ADD(handled, 1);
}

static void a_signal_handler_runs_during_the_wait(void) {
  struct sigaction action = {.sa_handler = count_signal};
  reset();
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  pthread_t thread = start(wait_for_permit, NULL);
  WAIT_UNTIL(locked_read(&waiting) == 1);
  CHECK_OK(pthread_kill(thread, SIGUSR1));
  WAIT_UNTIL(LOAD(handled) == 1);
  CHECK_EQ(locked_read(&woken), 0);
  CHECK_OK(pthread_mutex_lock(&mutex));
  allowed = 1;
  CHECK_OK(pthread_cond_signal(&cond));
  CHECK_OK(pthread_mutex_unlock(&mutex));
  join(thread);
}

CHECK_MAIN(CASE(a_signal_wakes_one), CASE(a_broadcast_wakes_all),
           CASE(signalling_without_the_mutex_and_without_waiters), CASE(the_mutex_is_released_and_retaken),
           CASE(waiting_without_the_mutex_is_refused), CASE(a_recursive_mutex_keeps_its_depth), CASE(attributes),
           CASE(destroying_right_after_the_broadcast), CASE(ping_pong_of_two),
           CASE(a_signal_handler_runs_during_the_wait))
