// tracer/agent/syscalls.cc — where Syscall User Dispatch arrives, and the table of the calls we answer ourselves.

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/runtime.h"
#include "tracer/agent/stream.h"

namespace xbdbg::agent {

long pass(const Call& c) { return sys(c.number, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5]); }

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

// The loader maps the code of a library.
long call_mmap(const Call& c) {
  if ((c.args[2] & PROT_EXEC) != 0 && (c.args[3] & MAP_ANONYMOUS) == 0) rt.modules_changed = true;
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

using Handler = long (*)(const Call&);
constexpr int kTableSize = 512;

struct Table {
  Handler handlers[kTableSize] = {};
  bool unseen[kTableSize] = {};
  constexpr Table() {
#define XB_CALL(name) handlers[SYS_##name] = call_##name;
#define XB_CALL_AS(name, function) handlers[SYS_##name] = function;
#define XB_UNSEEN(name) unseen[SYS_##name] = true;
#include "tracer/agent/call_table.inc"
#undef XB_UNSEEN
#undef XB_CALL
#undef XB_CALL_AS
  }
};
constinit const Table table;

}  // namespace

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
  bool known = c.number >= 0 && c.number < kTableSize;
  if (!was_in_agent) {  // a call is a step: time passes, and another thread may go first
    constexpr std::uint64_t kCallNs = 5000;
    rt.clock.advance(kCallNs);
    if (!known || !table.unseen[c.number]) rt.scheduler.point(Point::operation);
  }
  Handler handler = known ? table.handlers[c.number] : nullptr;
  long result = handler ? handler(c) : pass(c);
  if (!rt.engaged) {  // we are a forked child now
    r[REG_RAX] = result;
    rt.in_agent = false;
    return;
  }
  r[REG_RAX] = result;
  if (!was_in_agent && rt.signals.any_pending()) rt.signals.deliver_to_current();
  rt.signals.before_sigreturn(uc);
  rt.in_agent = was_in_agent;
}

}  // namespace xbdbg::agent
