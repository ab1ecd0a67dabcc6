/* Loops that end, or do not, in different ways; the argument says which.
 *
 * counted: T1 counts for a while (argument 2: turns) without an event and prints, while T2, ready, prints, too.
 * counting: main counts until T1, ready, has set a flag.
 * sleeper: main spins until T1, which sleeps, sets a flag. signal: until the handler of a signal that another process
 * sends has. alarm: the handler of a timer. shared: until another process has. alone: for ever, the only thread.
 * stuck: both threads spin for ever. block: the same as sleeper, with SIGSYS ignored and every signal blocked.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int done, other;
static unsigned long count;

static void spin_until(atomic_int* flag) {
  while (!atomic_load(flag)) {
  }
}

static void* count_a_while(void* turns) {
  unsigned long x = 1;
  for (unsigned long i = 0; i < *(unsigned long*)turns; i++) __asm__ volatile("imul $3, %0, %0" : "+r"(x));
  puts("counted");
  return NULL;
}

static void* say_ready(void* unused) {
  (void)unused;
  puts("ready");
  return NULL;
}

static void* set_done(void* unused) {
  (void)unused;
  atomic_store(&done, 1);
  return NULL;
}

static void* sleep_and_set_done(void* unused) {
  (void)unused;
  sleep(3600);
  atomic_store(&done, 1);
  return NULL;
}

static void* spin_for_other(void* unused) {
  (void)unused;
  spin_until(&other);
  return NULL;
}

static void on_signal(int number) {
  (void)number;
  atomic_store(&done, 1);
}

static void two_threads(void* (*first)(void*), void* argument, void* (*second)(void*)) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, argument);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

static void with_helper(void* (*helper)(void*), int count_meanwhile) {
  pthread_t thread;
  pthread_create(&thread, NULL, helper, NULL);
  while (count_meanwhile && !atomic_load(&done)) count++;
  spin_until(&done);
  pthread_join(thread, NULL);
}

static void wait_for_process(void) {
  atomic_int* flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (fork() == 0) {
    usleep(400000);
    atomic_store(flag, 1);
    _exit(0);
  }
  spin_until(flag);
  wait(NULL);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  if (strcmp(what, "counted") == 0) two_threads(count_a_while, &turns, say_ready);
  if (strcmp(what, "counting") == 0) with_helper(set_done, 1);
  if (strcmp(what, "sleeper") == 0) with_helper(sleep_and_set_done, 0);
  if (strcmp(what, "shared") == 0) wait_for_process();
  if (strcmp(what, "alone") == 0) spin_until(&done);
  if (strcmp(what, "stuck") == 0) two_threads(spin_for_other, NULL, spin_for_other);
  if (strcmp(what, "block") == 0) {
    sigset_t all;
    sigfillset(&all);
    signal(SIGSYS, SIG_IGN);
    sigprocmask(SIG_SETMASK, &all, NULL);
    with_helper(sleep_and_set_done, 0);
    struct sigaction now;
    sigaction(SIGSYS, NULL, &now);
    if (now.sa_handler != SIG_IGN) puts("SIGSYS is not as it was");
  }
  if (strcmp(what, "signal") == 0) {
    signal(SIGUSR1, on_signal);
    if (fork() == 0) {
      usleep(400000);
      kill(getppid(), SIGUSR1);
      _exit(0);
    }
    spin_until(&done);
  }
  if (strcmp(what, "alarm") == 0) {
    signal(SIGALRM, on_signal);
    alarm(3600);
    spin_until(&done);
  }
  printf("%s ended\n", what);
  return 0;
}
