// Stops itself (SIGSTOP) deep inside calls of several kinds; argv[1] says which. Before that it writes glibc's own
// backtrace of the place to standard output, one hexadecimal address per line.
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#define NOINLINE [[gnu::noinline]]

extern "C" int by_frame_pointer(int value, int (*next)(int));
extern "C" int by_debug_frame(int value, int (*next)(int));

namespace {

volatile int sink;

NOINLINE void stop_here() {
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) std::printf("%p\n", frames[i]);
  std::fflush(stdout);
  raise(SIGSTOP);
  sink = 1;
}

NOINLINE int leaf(int value) {
  char buffer[100];
  std::snprintf(buffer, sizeof(buffer), "%d", value);
  stop_here();
  return static_cast<int>(std::strlen(buffer)) + value;
}

NOINLINE int recurse(int depth) {
  if (depth == 0) return leaf(depth) + 1;
  int result = recurse(depth - 1) + 1;
  sink = result;
  return result;
}

NOINLINE int with_alloca(int size) {  // the frame size is known only at run time: the CFA comes from rbp
  char* bytes = static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(size)));
  std::memset(bytes, 1, static_cast<std::size_t>(size));
  int result = recurse(3) + bytes[size - 1];
  sink = result;
  return result;
}

int compare(const void* a, const void* b) {
  static bool stopped = false;
  if (!stopped) {
    stopped = true;
    leaf(1);
  }
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

NOINLINE int through_libc() {
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof(int), compare);
  sink = numbers[0];
  return numbers[0];
}

NOINLINE int through_function(const std::function<int(int)>& call) {
  int result = call(4) + 1;
  sink = result;
  return result;
}

struct Guard {
  NOINLINE ~Guard() { leaf(2); }
};

NOINLINE void throw_past_guard() {
  Guard guard;
  throw std::string("unwinding");
}

NOINLINE int while_unwinding() {
  try {
    throw_past_guard();
  } catch (const std::string& text) {
    return static_cast<int>(text.size());
  }
  return 0;
}

void on_signal(int) {
  leaf(5);
  sink = 2;
}

NOINLINE int raise_signal() {
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  sink = 3;
  return sink;
}

// A signal restorer without call frame information, as programs that do not use libc's sigaction have.
extern "C" void bare_restorer();
asm(R"(
  .text
  .type bare_restorer, @function
bare_restorer:
  mov $15, %rax
  syscall
  .size bare_restorer, .-bare_restorer
)");

NOINLINE int raise_signal_without_libc() {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } action = {on_signal, 0x04000000 /* SA_RESTORER */, bare_restorer, 0};
  syscall(SYS_rt_sigaction, SIGUSR1, &action, nullptr, 8);
  raise(SIGUSR1);
  sink = 4;
  return sink;
}

void* thread_main(void*) {
  recurse(2);
  return nullptr;
}

NOINLINE int in_thread() {
  pthread_t thread;
  pthread_create(&thread, nullptr, thread_main, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}

NOINLINE int call_nowhere() {
  int (*volatile nowhere)() = nullptr;
  int result = nowhere() + 1;
  sink = result;
  return result;
}

// Something to step through, instruction by instruction: prologues, a PLT slot bound lazily, libc, string functions.
NOINLINE int walk_me(const char* text) {
  char copy[32];
  std::snprintf(copy, sizeof(copy), "<%s>", text);
  sink = static_cast<int>(std::strlen(copy));
  return atoi(copy + 1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "recurse") return recurse(20);
  if (mode == "alloca") return with_alloca(100 * argc);
  if (mode == "libc") return through_libc();
  if (mode == "function") return through_function([](int n) { return recurse(n); });
  if (mode == "exception") return while_unwinding();
  if (mode == "signal") return raise_signal();
  if (mode == "bare_signal") return raise_signal_without_libc();
  if (mode == "thread") return in_thread();
  if (mode == "frame_pointer") return by_frame_pointer(1, leaf);
  if (mode == "debug_frame") return by_debug_frame(1, leaf);
  if (mode == "bad_call") return call_nowhere();
  if (mode == "step") {
    raise(SIGSTOP);
    return walk_me("4711");
  }
  std::puts("unknown mode");
  return 2;
}
