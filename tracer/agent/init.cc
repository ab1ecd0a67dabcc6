// tracer/agent/init.cc — taking over the process, before any of its own code runs.

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tracer/agent/cpu_traps.h"
#include "tracer/agent/exec.h"
#include "tracer/agent/launch_env.h"
#include "tracer/agent/places.h"
#include "tracer/agent/requests.h"
#include "tracer/agent/runtime.h"
#include "tracer/agent/stream.h"

namespace xbdbg::agent {

constinit Runtime rt{};
bool xb_has_fsgsbase;

namespace {

// Without libc's setenv: it would allocate. `to` nullptr: unset. The new value is never longer than the old text.
// What is left of the old text becomes 0, since it is in the program's memory.
void replace_variable(const char* name, const char* to) {
  size_t length = strlen(name);
  for (char** e = environ; *e;) {
    if (strncmp(*e, name, length) != 0 || (*e)[length] != '=') {
      e++;
      continue;
    }
    size_t old = strlen(*e);
    size_t kept = to ? length + 1 + strlen(to) : 0;
    if (to) memmove(*e + length + 1, to, strlen(to));
    memset(*e + kept, 0, old - kept);
    if (to) return;
    for (char** rest = e; (rest[0] = rest[1]) != nullptr; rest++) {
    }
  }
}

// The program and its children see the environment the user had.
void restore_environment() {
  replace_variable(kPreloadVariable, getenv(kUserPreloadVariable));
  replace_variable(kTunablesVariable, getenv(kUserTunablesVariable));
  replace_variable(kUserPreloadVariable, nullptr);
  replace_variable(kUserTunablesVariable, nullptr);
  replace_variable(kArenaFdVariable, nullptr);
}

Arena* map_arena(int fd) {
  auto map = [&](std::uint64_t bytes) { return static_cast<Arena*>(map_at(kArenaAt, bytes, MAP_SHARED, fd)); };
  Arena* a = map(sizeof(Arena));
  if (!a) return nullptr;
  if (a->magic != kArenaMagic || a->version != kProtocolVersion || a->arena_bytes != sizeof(Arena)) return nullptr;
  std::uint64_t whole = a->bytes();
  sys(SYS_munmap, a, sizeof(Arena));
  a = map(whole);
  sys(SYS_close, fd);
  if (a && a->exec.agent_fd >= 0) sys(SYS_close, a->exec.agent_fd);
  return a;
}

std::uint64_t fs_base() {
  std::uint64_t base = 0;
  constexpr long kGetFs = 0x1003;
  sys(SYS_arch_prctl, kGetFs, &base);
  return base;
}

// The loader has stored the process id of this process in main's descriptor, from where pthread_kill, raise and
// mutexes take it. Replaying, the program has that of the recording.
void replace_pid_in_descriptor(int from, int to) {
  auto* descriptor = reinterpret_cast<int*>(fs_base());
  constexpr int kSearched = 2304 / sizeof(int);  // sizeof(struct pthread)
  int found = -1, count = 0;
  for (int i = 0x200 / sizeof(int); i < kSearched; i++)
    if (descriptor[i] == from) {
      if (found < 0) found = i;
      count++;
    }
  if (count == 0) fail("the thread descriptor of this C library is not known: no thread id in it");
  descriptor[found] = to;
}

void begin_journal() {
  JournalStart start{};
  start.type = JournalType::start;
  start.image = rt.arena->status.images;
  start.pid = rt.kernel_pid;
  start.parent_pid = static_cast<int>(sys(SYS_getppid));
  Clock::read_real(start);
  if (rt.journal.active()) rt.journal.start(start);
  rt.pid = start.pid;
  if (rt.pid != rt.kernel_pid) replace_pid_in_descriptor(rt.kernel_pid, rt.pid);
  rt.clock.init(start, rt.arena->config.real_time != 0);
}

void adopt_main_thread() {
  Thread* main = rt.threads.make();
  main->tid = rt.pid;
  main->context.fs_base = fs_base();
  std::uint64_t length = 0;
  sys(SYS_get_robust_list, 0, &main->robust_list, &length);
  main->sched_policy = static_cast<int>(world(SYS_sched_getscheduler, 0));
  rt.scheduler.set_main(main);
  rt.signals.init(main);
}

void dispatch_system_calls_to_us() {
  long r =
      sys(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, xb_gate_begin, xb_gate_end - xb_gate_begin, 0);
  if (r != 0)
    fail(
        "the kernel does not offer Syscall User Dispatch (error %d): Linux 5.11 or newer on x86-64 is needed; see "
        "`xbdbg doctor`",
        static_cast<std::uint64_t>(-r));
}

}  // namespace

void initialize() {
  if (rt.initialized) return;
  rt.initialized = true;
  const char* missing = find_real_functions(&rt.real);
  const char* fd = getenv(kArenaFdVariable);
  if (!fd) return;  // preloaded by hand: do nothing
  rt.arena = map_arena(atoi(fd));
  restore_environment();
  if (!rt.arena) return;  // xbdbg sees that the state is still `launching`
  rt.arena->status.failed_step = ~std::uint64_t{0};
  if (missing) fail("libc has no function %s: glibc 2.34 or newer is needed", missing);
  xb_has_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
  rt.kernel_pid = static_cast<int>(sys(SYS_getpid));
  rt.journal.init(rt.arena);
  rt.listened_to = rt.arena->config.want_events != 0 || rt.journal.active();
  begin_journal();
  rt.output_fds.init();
  rt.timers.init();
  rt.policy.init(rt.arena->config, rt.arena->schedule(), &rt.journal);
  rt.threads.init(rt.arena);
  rt.scheduler.init(rt.arena, &rt.threads, &rt.clock, &rt.policy);
  adopt_main_thread();
  inherit();
  trap_instructions(true);
  dispatch_system_calls_to_us();
  if (rt.journal.recording()) ask_xbdbg(RequestKind::modules);
  rt.modules_changed = true;
  rt.engaged = true;
  rt.arena->status.state.store(State::running, std::memory_order_release);
}

// Before the constructors of all other libraries (linked with -z initfirst), and so before libc's own, which sets
// `environ`. The loader passes (argc, argv, envp); a constructor attribute would lose them to the optimiser.
static void start(int, char**, char** envp) {
  if (!environ) environ = envp;
  initialize();
}
__attribute__((section(".init_array"), used)) static void (*const start_at_load)(int, char**, char**) = start;

}  // namespace xbdbg::agent
