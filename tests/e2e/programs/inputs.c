/* A program that depends on what is outside of it: `inputs file PATH`, `inputs machine`, `inputs compute`, ... */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long turns;

static void* worker(void* count) {
  for (long i = 0; i < *(long*)count; i++) {
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void work(long count) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, &count);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

/* Read and mapped: both must come from the recording. */
static int show_file(const char* path) {
  int fd = open(path, O_RDONLY);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) return perror(path), 1;
  char* text = malloc((size_t)info.st_size);
  if (read(fd, text, (size_t)info.st_size) != info.st_size) return 2;
  fwrite(text, 1, (size_t)info.st_size, stdout);
  char* mapped = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) return perror("mmap"), 3;
  fwrite(mapped, 1, (size_t)info.st_size, stdout);
  return 0;
}

static int show_machine(void) {
  struct timespec now;
  unsigned long random = 0;
  char folder[4096], host[256];
  clock_gettime(CLOCK_REALTIME, &now);
  if (getrandom(&random, sizeof random, 0) != sizeof random) return 1;
  if (!getcwd(folder, sizeof folder) || gethostname(host, sizeof host) != 0) return 2;
  printf("%ld.%09ld %lx %d %s %s\n", (long)now.tv_sec, now.tv_nsec, random, (int)getpid(), folder, host);
  return 0;
}

/* For ever, without a call. */
static void compute(void) {
  volatile unsigned long n = 0;
  for (;;) n++;
}

static void tick(void) {
  for (unsigned long i = 0;; i++) {
    work(1);
    printf("tick %lu\n", i);
    fflush(stdout);
    usleep(20000);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "file") == 0 && argc > 2) return show_file(argv[2]);
  if (strcmp(what, "machine") == 0) return show_machine();
  if (strcmp(what, "work") == 0 && argc > 2) work(atol(argv[2]));
  if (strcmp(what, "compute") == 0 || strcmp(what, "tick") == 0) {
    work(3);
    puts("ready");
    fflush(stdout);
    if (strcmp(what, "tick") == 0) tick();
    compute();
  }
  return 0;
}
