// How a process with threads ends, each way in a forked child: status, handlers, streams, joinability of main.
#include "exit_ways.h"

static void run_way(void* way) { exit(((const struct ExitWay*)way)->run()); }

static void every_way_has_its_status(void) {
  for (size_t i = 0; i < sizeof kExitWays / sizeof kExitWays[0]; i++) {
    int status = in_child(run_way, (void*)&kExitWays[i]);
    int seen = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!CHECK_EQ(seen, kExitWays[i].status)) printf("  %s\n", kExitWays[i].name);
  }
}

static int pipe_fds[2];
static void write_at_exit(void) {
  if (write(pipe_fds[1], "a", 1) != 1) _exit(1);
}
static void* exit_with_0(void* unused) {
  (void)unused;
  exit(0);
}
static void exit_in_thread_runs_handlers(void* unused) {
  (void)unused;
  atexit(write_at_exit);
  FILE* stream = fdopen(dup(pipe_fds[1]), "w");
  fputs("b", stream);  // stays in the buffer until exit flushes it
  join(start(exit_with_0, NULL));
}

static void exit_runs_handlers_and_flushes(void) {
  char text[4] = "";
  CHECK_OK(pipe(pipe_fds));
  CHECK_EQ(in_child(exit_in_thread_runs_handlers, NULL), 0);
  CHECK_EQ(read(pipe_fds[0], text, 2), 2);
  CHECK(strcmp(text, "ab") == 0);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
}

static pthread_key_t key;
static void write_in_destructor(void* value) {
  (void)value;
  if (write(pipe_fds[1], "k", 1) != 1) _exit(1);
}
static void main_exit_runs_key_destructors(void* unused) {
  (void)unused;
  pthread_key_create(&key, write_in_destructor);
  pthread_setspecific(key, &key);
  atexit(write_at_exit);
  start(return_null, NULL);
  pthread_exit(NULL);
}
static void exit_runs_no_key_destructors(void* unused) {
  (void)unused;
  pthread_key_create(&key, write_in_destructor);
  pthread_setspecific(key, &key);
  atexit(write_at_exit);
  exit(0);
}

static void key_destructors_of_main(void) {
  char text[4] = "";
  CHECK_OK(pipe(pipe_fds));
  CHECK_EQ(in_child(main_exit_runs_key_destructors, NULL), 0);
  CHECK_EQ(read(pipe_fds[0], text, 2), 2);
  CHECK(strcmp(text, "ka") == 0);
  CHECK_EQ(in_child(exit_runs_no_key_destructors, NULL), 0);
  CHECK_EQ(read(pipe_fds[0], text, 2), 1);
  CHECK_EQ(text[0], 'a');
  close(pipe_fds[0]);
  close(pipe_fds[1]);
}

static void* exit_with_value(void* value) { pthread_exit(value); }
static int exit_at_depth(int depth) {
  if (LOAD(check_total) < 0) return 0;
  if (depth == 0) pthread_exit((void*)44);
  return exit_at_depth(depth - 1) + LOAD(check_total);
}
static void* exit_deep(void* depth) { return (void*)(intptr_t)exit_at_depth((int)(intptr_t)depth); }

static void pthread_exit_passes_its_value(void) {
  CHECK_EQ((intptr_t)in_thread(exit_with_value, (void*)43), 43);
  CHECK_EQ((intptr_t)in_thread(exit_deep, (void*)100), 44);
}

CHECK_MAIN(CASE(every_way_has_its_status), CASE(exit_runs_handlers_and_flushes), CASE(key_destructors_of_main),
           CASE(pthread_exit_passes_its_value))
