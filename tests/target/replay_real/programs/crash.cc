// crash HOW — dies in the way that is asked for; every way a program can die has its own word.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace {

int* volatile nowhere = nullptr;
volatile int zero = 0;
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both_hold_one;

void say(const char* text) {
  puts(text);
  fflush(stdout);
}

void* write_to_nowhere(void*) {
  *nowhere = 1;
  return nullptr;
}

int deeper(int depth) {
  volatile char room[4096];
  room[depth % 4096] = static_cast<char>(depth);
  return depth < 0 ? 0 : deeper(depth + 1) + room[depth % 4096];
}

void crash_in_thread() {
  pthread_t thread;
  pthread_create(&thread, nullptr, write_to_nowhere, nullptr);
  pthread_join(thread, nullptr);
}

void read_behind_the_end_of_a_file() {
  FILE* file = tmpfile();
  void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  printf("%d\n", *static_cast<volatile char*>(page));
}

void* take_both(void* first_one) {
  pthread_mutex_t* mine = static_cast<pthread_mutex_t*>(first_one);
  pthread_mutex_lock(mine);
  pthread_barrier_wait(&both_hold_one);
  pthread_mutex_lock(mine == &first ? &second : &first);
  return nullptr;
}

void deadlock() {
  pthread_t threads[2];
  pthread_barrier_init(&both_hold_one, nullptr, 3);
  pthread_create(&threads[0], nullptr, take_both, &first);
  pthread_create(&threads[1], nullptr, take_both, &second);
  pthread_barrier_wait(&both_hold_one);
  say("deadlocked");
  char key;
  (void)!read(STDIN_FILENO, &key, 1);
}

void on_segv(int, siginfo_t* info, void*) {
  printf("handled, address %p\n", info->si_addr);
  fflush(stdout);
  _exit(3);
}

void handle() {
  struct sigaction action {};
  action.sa_sigaction = on_segv;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  *nowhere = 1;
}

void wait_for_a_key() {
  say("waiting");
  char key;
  (void)!read(STDIN_FILENO, &key, 1);
}

void wait_for_the_alarm() {
  alarm(1);
  for (;;) pause();
}

struct Way {
  const char* name;
  void (*go)();
};

const Way kWays[] = {
    {"segv", [] { *nowhere = 1; }},
    {"segv-thread", crash_in_thread},
    {"abort", [] { abort(); }},
    {"exception", [] { throw std::runtime_error("nobody catches this"); }},
    {"overflow", [] { printf("%d\n", deeper(0)); }},
    {"divide", [] { printf("%d\n", 100 / zero); }},
    {"illegal", [] { __asm__ volatile("ud2"); }},
    {"kill", [] { raise(SIGKILL); }},
    {"trap", [] { __asm__ volatile("int3"); }},
    {"bus", read_behind_the_end_of_a_file},
    {"alarm", wait_for_the_alarm},
    {"handled", handle},
    {"deadlock", deadlock},
    {"wait", wait_for_a_key},
};

}  // namespace

int main(int argc, char** argv) {
  say("before");
  for (const Way& way : kWays) {
    if (argc == 2 && strcmp(argv[1], way.name) == 0) way.go();
  }
  say("after");
  return 1;
}
