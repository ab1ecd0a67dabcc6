// tracer/agent/exec.cc — execve of the program itself.
//
// NOTE [Following an exec]: The exec is real, in recordings and replays as well. For the agent to be in the new
// program it has to be preloaded, and the program prepared as at launch, which takes ptrace. So the agent stops
// itself; xbdbg (follow_exec.cc) seizes the process, looks what will be executed, and writes the environment with its
// additions into memory that we offer here. We open the arena and the agent's library again, at the numbers the new
// program will look for, and make the call. If it fails, nothing has happened but a second stop, by which xbdbg
// knows.

#include "tracer/agent/exec.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/cpu_traps.h"
#include "tracer/agent/lent_scheduling.h"
#include "tracer/agent/places.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

namespace {

constexpr std::uint64_t kScratchBytes = 16u
                                        << 20;  // the kernel takes 6 MiB of arguments and environment, and pointers

void set_kernel_mask(std::uint64_t mask) { sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, kSigsetBytes); }

// Returns when xbdbg has decided. It continues us with SIGCONT, and keeps the signal from arriving.
void ask(const Call& c, ExecRequest& x) {
  x.number = c.number;
  for (int i = 0; i < 6; i++) x.args[i] = static_cast<std::uint64_t>(c.args[i]);
  x.scratch =
      address(static_cast<char*>(map_at(kExecScratchAt, kScratchBytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)));
  if (x.scratch == 0) fail("the address %x, which an exec needs, is taken", kExecScratchAt);
  x.scratch_bytes = kScratchBytes;
  x.phase.store(ExecPhase::asked, std::memory_order_release);
  rt.arena->status.state.store(State::exec, std::memory_order_release);
  set_kernel_mask(rt.signals.kernel_mask() & ~signal_bit(SIGCONT));
  while (x.phase.load(std::memory_order_acquire) == ExecPhase::asked) sys(SYS_kill, rt.kernel_pid, SIGSTOP);
}

// As at launch: not closed on exec, at these numbers.
void open_again(const char* path, int flags, int number) {
  long fd = sys(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
  long r = fd < 0 ? fd : sys(SYS_dup3, fd, number, 0);
  if (fd >= 0) sys(SYS_close, fd);
  if (r < 0)
    fail("the program cannot be followed into another one: opening %s as descriptor %d failed with error %d", path,
         static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(-r));
}

// A replay executes no call that would have set these, and looks the program up in a folder made for it.
void begin_as_recorded(const ExecRequest& x) {
  sys(SYS_personality, x.personality);
  rlimit limit{};
  sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, &limit);
  limit.rlim_cur = x.stack_limit;
  sys(SYS_prlimit64, 0, RLIMIT_STACK, &limit, 0);
  sys(SYS_chdir, x.folder);
}

// Returns only when it fails.
long execute(ExecRequest& x) {
  Status& status = rt.arena->status;
  bool follow = x.phase.load(std::memory_order_acquire) == ExecPhase::follow;
  LentScheduling scheduling(self());
  if (follow) {
    open_again(x.arena_path, O_RDWR, x.arena_fd);
    open_again(x.agent_path, O_RDONLY, x.agent_fd);
    if (x.as_recorded != 0) begin_as_recorded(x);
    rt.clock.bequeath(rt.arena->heritage);
    rt.timers.bequeath(rt.arena->heritage);
    rt.arena->heritage.children = rt.children;
    status.images++;
    status.state.store(State::launching, std::memory_order_release);
  }
  trap_instructions(false);
  set_kernel_mask(self().mask);  // the kernel passes these on
  long r = sys(x.number, x.args[0], x.args[1], x.args[2], x.args[3], x.args[4]);
  set_kernel_mask(rt.signals.kernel_mask());
  trap_instructions(true);
  scheduling.take_back();
  if (follow) {
    sys(SYS_close, x.arena_fd);
    sys(SYS_close, x.agent_fd);
    status.images--;
  }
  return r;
}

}  // namespace

long call_execve(const Call& c) {
  ExecRequest& x = rt.arena->exec;
  rt.output_fds.bequeath(rt.arena->heritage);  // asks the kernel: before the journal is looked at
  if (rt.journal.replaying() && !rt.journal.next_is(JournalType::start)) return rt.journal.take_answer(c.number);
  ask(c, x);
  long r = execute(x);
  sys(SYS_munmap, x.scratch, kScratchBytes);
  rt.arena->status.state.store(State::running, std::memory_order_release);
  x.phase.store(ExecPhase::failed, std::memory_order_release);
  sys(SYS_kill, rt.kernel_pid, SIGSTOP);  // xbdbg lets go of us here
  if (rt.journal.recording()) rt.journal.write_answer(c.number, r, nullptr, 0, nullptr);
  return r;
}

void inherit() {
  if (rt.arena->status.images == 0) return;
  const Heritage& h = rt.arena->heritage;
  if (!rt.journal.active()) rt.clock.inherit(h);  // else the journal's start has them
  rt.timers.inherit(h);
  rt.output_fds.inherit(h);
  rt.children = h.children;
}

}  // namespace xbdbg::agent
