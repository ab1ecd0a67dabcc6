// tracer/agent/syscalls.cc — where Syscall User Dispatch arrives, and the calls about identity and signals.

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/runtime.h"
#include "tracer/agent/stream.h"
#include "tracer/agent/syscall_table.h"

namespace xbdbg::agent {

static long make(const Call& c) {
  if (c.number == SYS_munmap || c.number == SYS_mremap)
    rt.shared_watch.forget(static_cast<std::uint64_t>(c.args[0]), static_cast<std::uint64_t>(c.args[0] + c.args[1]));
  // When the kernel takes pages marked by MADV_FREE depends on the machine's load.
  if (c.number == SYS_madvise && c.args[2] == MADV_FREE) return sys(SYS_madvise, c.args[0], c.args[1], MADV_DONTNEED);
  return sys(c.number, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5]);
}

[[noreturn]] static void refuse(const Call& c, const SyscallInfo& info) {
  fail("the program calls %s at %x, which cannot be recorded: %s", info.name, c.caller.pc, info.reason);
}

long pass(const Call& c) {
  if (!rt.journal.active()) return make(c);
  const SyscallInfo& info = syscall_info(c.number);
  switch (info.replaying) {
    case Replaying::execute:
      return rt.journal.result(c.number, make(c));
    case Replaying::absent:
      return -ENOSYS;
    case Replaying::refuse:
      refuse(c, info);
    case Replaying::emulate:
    case Replaying::model:  // the part of it that is left to the kernel
      break;
  }
  return rt.journal.kernel(c.number, c.args);
}

namespace {

template <class T>
T pointer(long argument) {
  return reinterpret_cast<T>(argument);
}

// ---------------------------------------------------------------------------------------------------------------
// Identity.

long call_gettid(const Call&) { return self().tid; }

long call_set_tid_address(const Call& c) {
  self().clear_tid = pointer<int*>(c.args[0]);
  return self().tid;
}

long call_set_robust_list(const Call& c) {
  constexpr long kHeadBytes = 24;
  if (c.args[1] != kHeadBytes) return -EINVAL;
  self().robust_list = pointer<void*>(c.args[0]);
  return 0;
}

long call_get_robust_list(const Call& c) {
  Thread* t = c.args[0] == 0 ? &self() : rt.threads.by_tid(static_cast<int>(c.args[0]));
  if (!t) return pass(c);
  *pointer<void**>(c.args[1]) = t->robust_list;
  *pointer<std::uint64_t*>(c.args[2]) = 24;
  return 0;
}

long call_prctl(const Call& c) {
  if (c.args[0] == PR_GET_NAME && self().named) {
    memcpy(pointer<void*>(c.args[1]), self().view->name, kNameBytes);
    return 0;
  }
  if (c.args[0] == PR_SET_NAME) {
    set_name(self(), pointer<const char*>(c.args[1]));
    if (&self() != rt.threads.main()) return 0;
  }
  if (c.args[0] == PR_SET_SYSCALL_USER_DISPATCH) return -EINVAL;  // ours
  return pass(c);
}

long call_arch_prctl(const Call& c) {
  constexpr long kSetFs = 0x1002;
  if (c.args[0] == kSetFs) self().context.fs_base = static_cast<std::uint64_t>(c.args[1]);
  return pass(c);
}

// ---------------------------------------------------------------------------------------------------------------
// Signals.

bool valid_signal(long signo) { return signo >= 0 && signo <= kSignals; }

long signal_thread(long tid, long signo, const siginfo_t* info, const Caller& caller) {
  Thread* t = rt.threads.by_tid(static_cast<int>(tid));
  if (!t) return -ESRCH;
  if (!valid_signal(signo)) return -EINVAL;
  if (signo == 0) return 0;
  event(Operation::thread_kill, t->index, 0, caller);
  return info ? rt.signals.post(static_cast<int>(signo), *info, t)
              : rt.signals.post_simple(static_cast<int>(signo), SI_TKILL, t);
}

long call_tgkill(const Call& c) {
  return c.args[0] == rt.pid ? signal_thread(c.args[1], c.args[2], nullptr, c.caller) : pass(c);
}

long call_tkill(const Call& c) {
  long r = signal_thread(c.args[0], c.args[1], nullptr, c.caller);
  return r == -ESRCH ? pass(c) : r;
}

long call_rt_tgsigqueueinfo(const Call& c) {
  if (c.args[0] != rt.pid) return pass(c);
  return signal_thread(c.args[1], c.args[2], pointer<const siginfo_t*>(c.args[3]), c.caller);
}

long call_kill(const Call& c) {
  if (c.args[0] != rt.pid || !valid_signal(c.args[1]) || c.args[1] == 0) return pass(c);
  return rt.signals.post_simple(static_cast<int>(c.args[1]), SI_USER, nullptr);
}

long call_rt_sigqueueinfo(const Call& c) {
  if (c.args[0] != rt.pid || !valid_signal(c.args[1]) || c.args[1] == 0) return pass(c);
  return rt.signals.post(static_cast<int>(c.args[1]), *pointer<const siginfo_t*>(c.args[2]), nullptr);
}

long call_rt_sigaction(const Call& c) {
  if (c.args[3] != kSigsetBytes) return -EINVAL;
  return rt.signals.sigaction(static_cast<int>(c.args[0]), pointer<const KernelSigaction*>(c.args[1]),
                              pointer<KernelSigaction*>(c.args[2]));
}

long call_rt_sigprocmask(const Call& c) {
  if (c.args[3] != kSigsetBytes) return -EINVAL;
  return rt.signals.sigprocmask(static_cast<int>(c.args[0]), pointer<const std::uint64_t*>(c.args[1]),
                                pointer<std::uint64_t*>(c.args[2]));
}

long call_rt_sigpending(const Call& c) { return rt.signals.sigpending(pointer<std::uint64_t*>(c.args[0])); }

long call_rt_sigtimedwait(const Call& c) {
  return rt.signals.sigtimedwait(pointer<const std::uint64_t*>(c.args[0]), pointer<siginfo_t*>(c.args[1]),
                                 pointer<const timespec*>(c.args[2]), c.caller);
}

long call_rt_sigsuspend(const Call& c) {
  return rt.signals.sigsuspend(pointer<const std::uint64_t*>(c.args[0]), c.caller);
}

long call_pause(const Call& c) { return rt.signals.sigsuspend(nullptr, c.caller); }

long call_sigaltstack(const Call& c) {
  return rt.signals.sigaltstack(pointer<const stack_t*>(c.args[0]), pointer<stack_t*>(c.args[1]));
}

// ---------------------------------------------------------------------------------------------------------------
// The table.

long absent(const Call&) { return -ENOSYS; }

using Handler = long (*)(const Call&);

struct Handlers {
  Handler of[kSyscallTableSize] = {};
  constexpr Handlers() {
#define XB_SYSCALL(number, name, handler, ...) of[number] = handler;
#include "tracer/agent/syscall_table.inc"
#undef XB_SYSCALL
#undef XB_ABSENT
#undef XB_REFUSED
  }
};
constinit const Handlers handlers;

}  // namespace

// The kernel answers a bad pointer with EFAULT, and so do we where we follow it ourselves.
[[gnu::noinline]] static long answer(Handler handler, const Call& c) {
  Thread* t = &self();
  const Call* outer_call = t->call;
  t->call = &c;
  void* outer[5];
  bool outer_armed = t->fault_exit_armed;
  memcpy(outer, t->fault_exit, sizeof outer);
  volatile long result = -EFAULT;
  if (__builtin_setjmp(t->fault_exit) == 0) {
    t->fault_exit_armed = true;
    result = handler(c);
  }
  if (!rt.engaged) return result;
  t = &self();
  t->call = outer_call;
  t->fault_exit_armed = outer_armed;
  memcpy(t->fault_exit, outer, sizeof outer);
  return result;
}

// A stack that the program made by itself (makecontext) holds what is left of our frames, which is not the program's
// state: it is a stack as the others are.
static void note_stack(std::uint64_t sp) {
  constexpr std::uint64_t kBlockBits = 16, kFrames = 32 << 10, kSeen = 64;
  static std::uint64_t seen[kSeen];
  std::uint64_t block = sp >> kBlockBits;
  if (seen[block % kSeen] == block) return;
  seen[block % kSeen] = block;
  if (rt.stacks.hold(sp) && rt.stacks.hold(sp - kFrames)) return;
  rt.stacks.add((block << kBlockBits) - kFrames, (block + 1) << kBlockBits);
}

void dispatch_system_call(ucontext_t* uc) {
  greg_t* r = uc->uc_mcontext.gregs;
  Call c{r[REG_RAX],
         {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]},
         uc,
         {static_cast<std::uint64_t>(r[REG_RIP]), static_cast<std::uint64_t>(r[REG_RSP]),
          static_cast<std::uint64_t>(r[REG_RBP])}};
  bool was_in_agent = rt.in_agent;
  rt.in_agent = true;
  if (!was_in_agent && self().queued) rt.scheduler.forget_left_wait(c.caller.sp);
  if (rt.journal.active()) {
    note_stack(c.caller.sp);
    rt.journal.call(c);
  }
  if (!was_in_agent) {  // a call is a step: time passes, and another thread may go first
    constexpr std::uint64_t kCallNs = 5000;
    rt.clock.advance(kCallNs);
    if (rt.scheduler.moment_awaited()) rt.clock.catch_up();
    take_in();
    if (syscall_info(c.number).order == Order::seen) rt.scheduler.point(Point::operation);
  }
  bool known = c.number >= 0 && c.number < kSyscallTableSize && handlers.of[c.number];
  Handler handler = known ? handlers.of[c.number] : absent;
  long result = rt.journal.active() && rt.output_fds.must_fail(c) ? -EINVAL : answer(handler, c);
  if (!rt.engaged) {  // we are a forked child now
    r[REG_RAX] = result;
    rt.in_agent = false;
    return;
  }
  r[REG_RAX] = result;
  if (rt.journal.active()) rt.output_fds.after(c, result);
  rt.nonblocking_fds.after(c, result);
  take_in();
  if (!was_in_agent && rt.signals.any_pending()) rt.signals.deliver_to_current();
  rt.signals.before_sigreturn(uc);
  rt.in_agent = was_in_agent;
  if (rt.journal.active()) wipe_stack_below();
}

}  // namespace xbdbg::agent
