/* A program that ends as it is told to: `ending exit 3`, `ending signal 11`, ... With one more thread at work, so
   that there is something to schedule. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void* worker(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    work++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

/* Without stdio: the signal may have interrupted it. */
static void say(const char* text) {
  if (write(1, text, strlen(text)) < 0) _exit(99);
}

static void handler(int signal) {
  char text[] = "got signal 00\n";
  text[11] = (char)('0' + signal / 10);
  text[12] = (char)('0' + signal % 10);
  say(text);
  _exit(42);
}

static void copy_input(void) {
  char buffer[65536];
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0) fwrite(buffer, 1, n, stdout);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "exit";
  int number = argc > 2 ? atoi(argv[2]) : 0;
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  if (strcmp(how, "signal") == 0) raise(number);
  if (strcmp(how, "crash") == 0) *(volatile int*)0 = 1;
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "cat") == 0) copy_input();
  if (strcmp(how, "both") == 0) fprintf(stderr, "to stderr\n"), printf("to stdout\n");
  if (strcmp(how, "arguments") == 0) {
    for (int i = 0; i < argc; i++) printf("[%s]\n", argv[i]);
  }
  if (strcmp(how, "environment") == 0) {
    extern char** environ;
    for (char** e = environ; *e; e++) puts(*e);
  }
  if (strcmp(how, "catch") == 0) {
    signal(number, handler);
    say("ready\n");
    for (;;) pause();
  }
  if (strcmp(how, "wait") == 0) {
    say("ready\n");
    copy_input();
    printf("done\n");
    return 0;
  }
  return strcmp(how, "exit") == 0 ? number : 0;
}
