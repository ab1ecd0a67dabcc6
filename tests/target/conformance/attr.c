// Thread attributes: stacks, guards, detach state, scheduling, and what pthread_getattr_np says about a thread.
#include <alloca.h>
#include <limits.h>
#include <sched.h>
#include <sys/mman.h>

#include "check.h"

static void defaults(void) {
  pthread_attr_t attr;
  int value = -1;
  size_t size = 0;
  struct sched_param param;
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_getdetachstate(&attr, &value));
  CHECK_EQ(value, PTHREAD_CREATE_JOINABLE);
  CHECK_OK(pthread_attr_getguardsize(&attr, &size));
  CHECK_EQ(size, sysconf(_SC_PAGESIZE));
  CHECK_OK(pthread_attr_getinheritsched(&attr, &value));
  CHECK_EQ(value, PTHREAD_INHERIT_SCHED);
  CHECK_OK(pthread_attr_getschedpolicy(&attr, &value));
  CHECK_EQ(value, SCHED_OTHER);
  CHECK_OK(pthread_attr_getschedparam(&attr, &param));
  CHECK_EQ(param.sched_priority, 0);
  CHECK_OK(pthread_attr_getscope(&attr, &value));
  CHECK_EQ(value, PTHREAD_SCOPE_SYSTEM);
  CHECK_OK(pthread_attr_getstacksize(&attr, &size));
  CHECK(size >= (size_t)PTHREAD_STACK_MIN);
  CHECK_OK(pthread_attr_destroy(&attr));
}

static void setting_and_errors(void) {
  pthread_attr_t attr;
  int value = -1;
  size_t size = 0;
  struct sched_param bad = {.sched_priority = 500};
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  CHECK_OK(pthread_attr_getdetachstate(&attr, &value));
  CHECK_EQ(value, PTHREAD_CREATE_DETACHED);
  CHECK_EQ(pthread_attr_setdetachstate(&attr, 42), EINVAL);
  CHECK_OK(pthread_attr_setstacksize(&attr, 1 << 20));
  CHECK_OK(pthread_attr_getstacksize(&attr, &size));
  CHECK_EQ(size, 1 << 20);
  CHECK_EQ(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN - 1), EINVAL);
  CHECK_EQ(pthread_attr_setstack(&attr, &attr, 100), EINVAL);
  CHECK_OK(pthread_attr_setguardsize(&attr, 0));
  CHECK_OK(pthread_attr_getguardsize(&attr, &size));
  CHECK_EQ(size, 0);
  CHECK_EQ(pthread_attr_setinheritsched(&attr, 42), EINVAL);
  CHECK_EQ(pthread_attr_setschedpolicy(&attr, 42), EINVAL);
  CHECK_EQ(pthread_attr_setschedparam(&attr, &bad), EINVAL);
  CHECK_EQ(pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS), ENOTSUP);
  CHECK_EQ(pthread_attr_setscope(&attr, 42), EINVAL);
  CHECK_OK(pthread_attr_destroy(&attr));
}

struct Seen {
  void* address;
  size_t size, guard;
  int detached;
  char* local;
};
static void look(struct Seen* seen) {
  pthread_attr_t attr;
  char local;
  CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
  CHECK_OK(pthread_attr_getstack(&attr, &seen->address, &seen->size));
  CHECK_OK(pthread_attr_getguardsize(&attr, &seen->guard));
  CHECK_OK(pthread_attr_getdetachstate(&attr, &seen->detached));
  CHECK_OK(pthread_attr_destroy(&attr));
  CHECK(&local >= (char*)seen->address && &local < (char*)seen->address + seen->size);
}
static void* look_in_thread(void* seen) {
  look(seen);
  return NULL;
}

static void getattr_describes_the_running_thread(void) {
  struct Seen seen;
  look(&seen);  // main
  CHECK(seen.size > 0);
  in_thread(look_in_thread, &seen);
  CHECK_EQ(seen.detached, PTHREAD_CREATE_JOINABLE);

  pthread_attr_t attr;
  pthread_t thread;
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setstacksize(&attr, 256 * 1024));
  CHECK_OK(pthread_attr_setguardsize(&attr, 8192));
  CHECK_OK(pthread_create(&thread, &attr, look_in_thread, &seen));
  join(thread);
  CHECK(seen.size >= 256 * 1024 - 8192 && seen.size <= 256 * 1024 + 16384);
  CHECK_EQ(seen.guard, 8192);
}

static void a_stack_of_ones_own(void) {
  enum { kSize = 512 * 1024 };
  struct Seen seen;
  pthread_attr_t attr;
  pthread_t thread;
  char* stack = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED);
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setstack(&attr, stack, kSize));
  CHECK_OK(pthread_create(&thread, &attr, look_in_thread, &seen));
  join(thread);
  CHECK(seen.address == stack);
  CHECK_EQ(seen.size, kSize);
  CHECK_OK(munmap(stack, kSize));
}

static void* use_stack(void* amount) {
  size_t size = (size_t)amount;
  volatile char* memory = alloca(size);
  for (size_t i = size - 1024; i > 0; i -= 1024) memory[i] = (char)i;  // downwards, so as to meet the guard
  return (void*)(intptr_t)memory[1024];
}

static void the_whole_stack_can_be_used(void) {
  pthread_attr_t attr;
  pthread_t thread;
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setstacksize(&attr, 4 << 20));
  CHECK_OK(pthread_create(&thread, &attr, use_stack, (void*)((size_t)(4 << 20) - 65536)));
  join(thread);
  in_thread(use_stack, (void*)((size_t)6 << 20));
}

static void* do_little(void* unused) { return unused; }

static void the_smallest_stack_works(void) {
  pthread_attr_t attr;
  pthread_t thread;
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN));
  CHECK_OK(pthread_create(&thread, &attr, do_little, (void*)3));
  CHECK_EQ((intptr_t)join(thread), 3);
}

static void overflow_the_stack(void* unused) {
  (void)unused;
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 128 * 1024);
  pthread_create(&thread, &attr, use_stack, (void*)((size_t)4 << 20));
  pthread_join(thread, NULL);
}

static void the_guard_catches_an_overflow(void) {
  int status = in_child(overflow_the_stack, NULL);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void default_attributes(void) {
  pthread_attr_t attr, original;
  struct Seen seen;
  CHECK_OK(pthread_getattr_default_np(&original));
  CHECK_OK(pthread_getattr_default_np(&attr));
  CHECK_OK(pthread_attr_setstacksize(&attr, 1 << 20));
  CHECK_OK(pthread_setattr_default_np(&attr));
  in_thread(look_in_thread, &seen);
  CHECK(seen.size <= (1 << 20) + 16384);
  CHECK_OK(pthread_setattr_default_np(&original));
  CHECK_OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  CHECK_OK(pthread_attr_destroy(&attr));
  CHECK_OK(pthread_attr_destroy(&original));
}

static void affinity(void) {
  pthread_attr_t attr;
  cpu_set_t set, got;
  CPU_ZERO(&set);
  CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
  CHECK(CPU_COUNT(&set) >= 1);
  CHECK_OK(pthread_attr_init(&attr));
  CHECK_OK(pthread_attr_setaffinity_np(&attr, sizeof set, &set));
  CHECK_OK(pthread_attr_getaffinity_np(&attr, sizeof got, &got));
  CHECK(CPU_EQUAL(&set, &got));
  CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
  CPU_ZERO(&got);
  CHECK_EQ(pthread_setaffinity_np(pthread_self(), sizeof got, &got), EINVAL);
  CHECK_OK(pthread_attr_destroy(&attr));
}

static void concurrency_level(void) {
  CHECK_EQ(pthread_getconcurrency(), 0);
  CHECK_OK(pthread_setconcurrency(4));
  CHECK_EQ(pthread_getconcurrency(), 4);
  CHECK_EQ(pthread_setconcurrency(-1), EINVAL);
  CHECK_OK(pthread_setconcurrency(0));
}

CHECK_MAIN(CASE(defaults), CASE(setting_and_errors), CASE(getattr_describes_the_running_thread),
           CASE(a_stack_of_ones_own), CASE(the_whole_stack_can_be_used), CASE(the_smallest_stack_works),
           CASE(the_guard_catches_an_overflow), CASE(default_attributes), CASE(affinity), CASE(concurrency_level))
