// fork in a program with threads: handlers, the lone thread of the child, what the child may do.
#include <spawn.h>
#include <sys/syscall.h>

#include "check.h"

static char log_of[16];
static int log_length;
static void note(char letter) {
  if (log_length < (int)sizeof log_of - 1) log_of[log_length++] = letter;
}
static void prepare_1(void) { note('1'); }
static void prepare_2(void) { note('2'); }
static void parent_1(void) { note('a'); }
static void parent_2(void) { note('b'); }
static void child_1(void) { note('x'); }
static void child_2(void) { note('y'); }

static void check_child_log(void* unused) {
  (void)unused;
  CHECK(strcmp(log_of, "21xy") == 0);
}

static void handlers_run_in_their_order(void) {
  CHECK_OK(pthread_atfork(prepare_1, parent_1, child_1));
  CHECK_OK(pthread_atfork(prepare_2, parent_2, child_2));
  CHECK_OK(pthread_atfork(NULL, NULL, NULL));
  CHECK_EQ(in_child(check_child_log, NULL), 0);
  CHECK(strcmp(log_of, "21ab") == 0);
}

static int stop, ticks;
static void* tick(void* unused) {
  while (!LOAD(stop)) {
    ADD(ticks, 1);
    sleep_ms(1);
  }
  return unused;
}

static void* return_argument(void* argument) { return argument; }
static void live_alone(void* expected_self) {
  int seen = LOAD(ticks);
  sleep_ms(20);
  CHECK_EQ(LOAD(ticks), seen);  // the other threads are not here
  CHECK(pthread_equal(pthread_self(), *(pthread_t*)expected_self));
  CHECK_EQ(getpid(), syscall(SYS_gettid));  // the forking thread is the child's main thread
  // And the child may use threads of its own.
  CHECK_EQ((intptr_t)in_thread(return_argument, (void*)11), 11);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = start(return_argument, (void*)(intptr_t)i);
  for (int i = 0; i < 3; i++) CHECK_EQ((intptr_t)join(threads[i]), i);
}

static void* fork_here(void* unused) {
  pthread_t self = pthread_self();
  (void)unused;
  return (void*)(intptr_t)in_child(live_alone, &self);
}

static void the_child_has_only_the_forking_thread(void) {
  STORE(stop, 0);
  pthread_t ticker = start(tick, NULL);
  WAIT_UNTIL(LOAD(ticks) > 0);
  pthread_t self = pthread_self();
  CHECK_EQ(in_child(live_alone, &self), 0);           // from main
  CHECK_EQ((intptr_t)in_thread(fork_here, NULL), 0);  // from another thread
  int seen = LOAD(ticks);
  WAIT_UNTIL(LOAD(ticks) > seen);  // the parent's threads go on
  STORE(stop, 1);
  join(ticker);
}

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void use_inherited_lock(void* unused) {
  (void)unused;
  CHECK_EQ(pthread_mutex_trylock(&mutex), EBUSY);  // held in the child's copy, too
}

static void a_held_mutex_is_held_in_the_child(void) {
  CHECK_OK(pthread_mutex_lock(&mutex));
  CHECK_EQ(in_child(use_inherited_lock, NULL), 0);
  CHECK_OK(pthread_mutex_unlock(&mutex));
}

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static void unlock_inherited_lock(void* unused) {
  (void)unused;
  CHECK_OK(pthread_mutex_unlock(&normal));  // what atfork child handlers do
  CHECK_OK(pthread_mutex_lock(&normal));
  CHECK_OK(pthread_mutex_unlock(&normal));
}

static void the_child_may_release_locks_of_the_forking_thread(void) {
  CHECK_OK(pthread_mutex_lock(&normal));
  CHECK_EQ(in_child(unlock_inherited_lock, NULL), 0);
  CHECK_EQ(pthread_mutex_trylock(&normal), EBUSY);  // the parent's is its own
  CHECK_OK(pthread_mutex_unlock(&normal));
}

static void* exit_child_thread(void* unused) {
  (void)unused;
  exit(21);
}
static void exit_from_thread(void* unused) {
  (void)unused;
  in_thread(exit_child_thread, NULL);
}
static void pthread_exit_in_child(void* unused) {
  (void)unused;
  pthread_exit(NULL);
}

static void the_child_may_end_in_any_way(void) {
  int status = in_child(exit_from_thread, NULL);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 21);
  CHECK_EQ(in_child(pthread_exit_in_child, NULL), 0);  // the last thread ends: status 0
}

static void* wait_for_child(void* pid) {
  int status = -1;
  CHECK_EQ(waitpid(*(pid_t*)pid, &status, 0), *(pid_t*)pid);
  return (void*)(intptr_t)(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void another_thread_may_wait_for_the_child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    sleep_ms(20);
    _exit(17);
  }
  STORE(stop, 0);
  pthread_t ticker = start(tick, NULL);  // runs while the waiter blocks in the kernel
  pthread_t waiter = start(wait_for_child, &pid);
  CHECK_EQ((intptr_t)join(waiter), 17);
  STORE(stop, 1);
  join(ticker);
  CHECK_ERRNO(waitpid(pid, NULL, 0), ECHILD);
}

static void* fork_many(void* unused) {
  for (int i = 0; i < 3; i++) {
    pid_t pid = fork();
    if (pid == 0) _exit(i);
    int status = -1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(WEXITSTATUS(status), i);
  }
  return unused;
}

static void several_threads_fork(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = start(fork_many, NULL);
  for (int i = 0; i < 3; i++) join(threads[i]);
}

static void programs_can_be_started(void) {
  extern char** environ;
  char* arguments[] = {"sh", "-c", "exit 5", NULL};
  pid_t pid;
  int status = -1;
  CHECK_OK(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ));
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK_EQ(WEXITSTATUS(status), 5);
  status = system("exit 6");
  CHECK_EQ(WEXITSTATUS(status), 6);
  pid = vfork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "exit 7", (char*)NULL);
    _exit(1);
  }
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK_EQ(WEXITSTATUS(status), 7);
  FILE* output = popen("echo hello", "r");
  char line[16] = "";
  CHECK(output && fgets(line, sizeof line, output) && strcmp(line, "hello\n") == 0);
  CHECK_EQ(pclose(output), 0);
}

static void* start_programs(void* unused) {
  programs_can_be_started();
  return unused;
}
static void programs_can_be_started_from_threads(void) { in_thread(start_programs, NULL); }

CHECK_MAIN(CASE(handlers_run_in_their_order), CASE(the_child_has_only_the_forking_thread),
           CASE(a_held_mutex_is_held_in_the_child), CASE(the_child_may_release_locks_of_the_forking_thread),
           CASE(the_child_may_end_in_any_way), CASE(another_thread_may_wait_for_the_child),
           CASE(several_threads_fork), CASE(programs_can_be_started), CASE(programs_can_be_started_from_threads))
