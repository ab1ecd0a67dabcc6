#include "tracer/agent/signals.h"

#include <string.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/cpu_traps.h"
#include "tracer/agent/preempt.h"
#include "tracer/agent/runtime.h"
#include "tracer/agent/state_hash.h"

namespace xbdbg::agent {

static constexpr std::uint64_t kSynchronous = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) |
                                              signal_bit(SIGILL) | signal_bit(SIGTRAP) | signal_bit(SIGSYS);
static constexpr std::uint64_t kIgnoredByDefault =
    signal_bit(SIGCHLD) | signal_bit(SIGURG) | signal_bit(SIGWINCH) | signal_bit(SIGCONT);
static constexpr std::uint64_t kUnblockable = signal_bit(SIGKILL) | signal_bit(SIGSTOP);

static bool always_ours(int signo) { return (signal_bit(signo) & (kSynchronous | signal_bit(SIGCHLD))) != 0; }

static std::uint64_t handler_of(sighandler_t h) { return reinterpret_cast<std::uint64_t>(h); }

void Signals::init(Thread* main) {
  replaying_ = rt.journal.replaying();
  world(SYS_rt_sigprocmask, SIG_SETMASK, 0, &main->mask, kSigsetBytes);
  for (int s = 1; s <= kSignals; s++) world(SYS_rt_sigaction, s, 0, &actions_[s], kSigsetBytes);
  sys(SYS_sigaltstack, 0, &main->alt_stack);
  kernel_alt_stack_ = main->alt_stack;
  kernel_mask_ = main->mask;
  if (replaying_) sys(SYS_rt_sigprocmask, SIG_SETMASK, &kernel_mask_, 0, kSigsetBytes);
  for (int s = 1; s <= kSignals; s++)
    if (always_ours(s) || replaying_) install(s);
  update_kernel_mask();
}

// ---------------------------------------------------------------------------------------------------------------
// Masks and alternate stacks.

std::uint64_t Signals::wanted_kernel_mask() const {
  std::uint64_t mask = ~std::uint64_t{0};
  rt.threads.find_live([&](Thread& t) {
    mask &= t.mask;
    return false;
  });
  return mask & ~signal_bit(SIGSYS);
}

void Signals::update_kernel_mask() {
  std::uint64_t wanted = wanted_kernel_mask();
  if (wanted == kernel_mask_) return;
  kernel_mask_ = wanted;
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &kernel_mask_, 0, kSigsetBytes);
}

void Signals::set_mask(Thread& t, std::uint64_t mask) {
  t.mask = mask & ~kUnblockable;
  update_kernel_mask();
}

void Signals::thread_started(Thread& t, Thread& creator) {
  t.mask = creator.mask;
  update_kernel_mask();
}

void Signals::after_switch() {
  const stack_t& wanted = self().alt_stack;
  if (wanted.ss_sp == kernel_alt_stack_.ss_sp && wanted.ss_size == kernel_alt_stack_.ss_size) return;
  if (sys(SYS_sigaltstack, &wanted, 0) == 0) kernel_alt_stack_ = wanted;
}

void Signals::before_sigreturn(ucontext_t* uc) {
  memcpy(&uc->uc_sigmask, &kernel_mask_, sizeof kernel_mask_);
  uc->uc_stack = kernel_alt_stack_ = self().alt_stack;
}

// ---------------------------------------------------------------------------------------------------------------
// Queueing.

bool Signals::ignored(int signo) const {
  std::uint64_t h = actions_[signo].handler;
  return h == handler_of(SIG_IGN) || (h == handler_of(SIG_DFL) && (kIgnoredByDefault & signal_bit(signo)) != 0);
}

// Is the thread in sigwait or one of its kin, for this signal?
static bool waits_for(const Thread& t, int signo) {
  return t.external.kind == ExternalWait::Kind::signals && (t.external.signals & signal_bit(signo)) != 0;
}

// The thread that gets it: the target; for the process main if it can, else the first other that can.
Thread* Signals::receiver(int signo, Thread* target) const {
  auto takes = [&](Thread& t) { return !blocked_by(t, signo) || waits_for(t, signo); };
  if (target) return !target->ended && takes(*target) ? target : nullptr;
  return rt.threads.find_live(takes);
}

static bool ends_process(int signo) {
  constexpr std::uint64_t kStop =
      signal_bit(SIGSTOP) | signal_bit(SIGTSTP) | signal_bit(SIGTTIN) | signal_bit(SIGTTOU);
  return (signal_bit(signo) & (kStop | kIgnoredByDefault)) == 0;
}

// The kernel's default action, also for a signal whose handler is always ours.
static void leave_to_kernel(int signo) {
  KernelSigaction none{};
  sys(SYS_rt_sigaction, signo, &none, 0, kSigsetBytes);
}

long Signals::post(int signo, const siginfo_t& info, Thread* target) {
  Thread* to = receiver(signo, target);
  if (to && !blocked_by(*to, signo) && ignored(signo)) return 0;
  if (!to && (!target || rt.threads.live() == 1)) {
    // Every thread blocks it, so the kernel does: there sigpending, signalfd and sigtimedwait find it.
    siginfo_t copy = info;
    if (target) {
      lent_ |= signal_bit(signo);
      lent_by_ = target;
    }
    return world(SYS_rt_sigqueueinfo, rt.pid, signo, &copy);
  }
  for (std::uint32_t i = 0; i < pending_count_ && signo < SIGRTMIN; i++)
    if (pending_[i].info.si_signo == signo && pending_[i].target == target) return 0;  // it is pending already
  if (to && !blocked_by(*to, signo) && actions_[signo].handler == handler_of(SIG_DFL)) {
    // The process ends or stops here and now, whichever thread was meant.
    if (ends_process(signo)) {
      if (rt.journal.active()) rt.journal.state_hash(hash_of_state());
      leave_to_kernel(signo);
    }
    if (ends_process(signo) || !replaying_) raise_on_self(signo, info);
    return 0;
  }
  if (pending_count_ == kMaxPending) return -EAGAIN;
  Pending& p = pending_[pending_count_++];
  p.target = target;
  p.info = info;
  p.info.si_signo = signo;
  if (to && waits_for(*to, signo))
    rt.scheduler.grant(to);
  else if (to)
    rt.scheduler.interrupt(to);
  return 0;
}

long Signals::post_simple(int signo, int code, Thread* target) {
  siginfo_t info{};
  info.si_code = code;
  info.si_pid = rt.pid;
  info.si_uid = static_cast<uid_t>(world(SYS_getuid));
  return post(signo, info, target);
}

// Takes the pending signal of `set` with the lowest number that is for this thread or for the process.
bool Signals::take(Thread& t, std::uint64_t set, siginfo_t* info) {
  std::uint32_t best = pending_count_;
  for (std::uint32_t i = 0; i < pending_count_; i++) {
    const Pending& p = pending_[i];
    if ((p.target && p.target != &t) || (set & signal_bit(p.info.si_signo)) == 0) continue;
    if (best == pending_count_ || p.info.si_signo < pending_[best].info.si_signo) best = i;
  }
  if (best == pending_count_) return false;
  *info = pending_[best].info;
  memmove(&pending_[best], &pending_[best + 1], (pending_count_ - best - 1) * sizeof *pending_);
  pending_count_--;
  return true;
}

// ---------------------------------------------------------------------------------------------------------------
// Delivering.

// With the signal unblocked in the kernel, rt_tgsigqueueinfo delivers it before it returns.
void Signals::raise_on_self(int signo, const siginfo_t& info) {
  siginfo_t copy = info;
  raising_ = signo;
  sys(SYS_rt_tgsigqueueinfo, rt.kernel_pid, rt.kernel_pid, signo, &copy);
  raising_ = 0;
}

bool Signals::deliver_to_current() {
  std::uint32_t before = handlers_run_;
  siginfo_t info;
  while (pending_count_ > 0 && take(self(), ~self().mask, &info)) {
    if (ignored(info.si_signo)) continue;
    raise_on_self(info.si_signo, info);
  }
  return handlers_run_ != before;
}

void Signals::run_handler(int signo, siginfo_t* info, ucontext_t* uc) {
  Thread& t = self();
  KernelSigaction& act = actions_[signo];
  auto handler = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(act.handler);
  std::uint64_t old_mask = t.mask, flags = act.flags;
  handlers_run_++;
  if ((flags & SA_RESTART) == 0) t.restart = false;
  event(Operation::signal_deliver, static_cast<std::uint64_t>(signo), 0,
        {static_cast<std::uint64_t>(uc->uc_mcontext.gregs[REG_RIP]),
         static_cast<std::uint64_t>(uc->uc_mcontext.gregs[REG_RSP]),
         static_cast<std::uint64_t>(uc->uc_mcontext.gregs[REG_RBP])});
  if (flags & SA_RESETHAND) {
    act.handler = handler_of(SIG_DFL);
    install(signo);
  }
  memcpy(&uc->uc_sigmask, &old_mask, sizeof old_mask);
  set_mask(t, old_mask | act.mask | ((flags & SA_NODEFER) ? 0 : signal_bit(signo)));
  bool allowed = allow_handlers;
  Wake wake = t.wake;
  bool armed = t.fault_exit_armed;
  t.fault_exit_armed = false;  // for the handler's own calls, and for ever if it leaves by longjmp
  allow_handlers = false;
  rt.in_agent = false;
  handler(signo, info, uc);
  rt.in_agent = true;
  allow_handlers = allowed;
  if (wake != Wake::none) t.wake = wake;
  t.fault_exit_armed = armed;
  memcpy(&old_mask, &uc->uc_sigmask, sizeof old_mask);
  set_mask(t, old_mask);
}

// The program does not handle it: it dies when it executes the instruction again. A trap leaves the instruction
// behind.
void Signals::die_of_fault(int signo, const siginfo_t& info, const ucontext_t& uc) {
  auto pc = static_cast<std::uint64_t>(uc.uc_mcontext.gregs[REG_RIP]);
  if (rt.journal.active()) {
    rt.journal.fault(signo, pc, reinterpret_cast<std::uint64_t>(info.si_addr));
    rt.journal.state_hash(hash_of_state());
  }
  leave_to_kernel(signo);
  if (signo == SIGTRAP) raise_on_self(signo, info);
}

// A call of the program's that we model was given a bad pointer: it returns EFAULT.
void Signals::leave_by_fault() {
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &kernel_mask_, 0, kSigsetBytes);
  self().fault_exit_armed = false;
  __builtin_longjmp(self().fault_exit, 1);
}

void Signals::arrive(const siginfo_t& info) {
  if (replaying_) return;  // what arrives is in the journal
  if (arrived_count_ == kMaxArrived) fail("more than %d signals arrived at once", std::uint64_t{kMaxArrived});
  arrived_[arrived_count_] = info;
  arrived_count_++;
}

void Signals::accept(const siginfo_t& info) {
  if (info.si_signo == SIGSYS)
    rt.timers.forward_expiry(info);
  else
    post(info.si_signo, info, nullptr);
}

void Signals::take_in_arrived() {
  siginfo_t info;
  while (replaying_ && rt.journal.take_signal(point_, &info)) accept(info);
  if (replaying_) return;
  // The last step is one instruction, since more may arrive at any time.
  for (std::uint32_t all = accepted_count_;
       !__atomic_compare_exchange_n(&arrived_count_, &all, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
       all = accepted_count_) {
    info = arrived_[accepted_count_++];
    if (info.si_signo != SIGSYS && ignored(info.si_signo)) continue;
    rt.journal.signal(info, point_);
    accept(info);
  }
  accepted_count_ = 0;
}

void Signals::on_signal(int signo, siginfo_t* info, ucontext_t* uc) {
  bool was_in_agent = rt.in_agent;
  bool raised = raising_ == signo;
  bool fault = (kSynchronous & signal_bit(signo)) != 0 && info->si_code > 0 && !raised;
  if (fault && was_in_agent && rt.journal.applying())
    fail("the recording does not fit: it asks for memory at %x, which is not there",
         reinterpret_cast<std::uint64_t>(info->si_addr));
  if (fault && signo == SIGSEGV && emulate_instruction(uc)) return;
  if (fault && was_in_agent && self().fault_exit_armed) leave_by_fault();
  rt.in_agent = true;
  raising_ = 0;
  // The kernel blocked everything for this handler, so that of several that come at once each is queued behind the
  // one before; from there on the usual mask holds.
  bool asynchronous = !raised && !fault;
  if (asynchronous && rt.journal.active())
    arrive(*info);
  else if (asynchronous)
    post(signo, *info, nullptr);
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &kernel_mask_, 0, kSigsetBytes);
  if (fault && (blocked_by(self(), signo) || actions_[signo].handler == handler_of(SIG_DFL) ||
                actions_[signo].handler == handler_of(SIG_IGN))) {  // as the kernel does: a blocked fault kills
    die_of_fault(signo, *info, *uc);
  } else if (raised || fault) {
    run_handler(signo, info, uc);
  } else if (!rt.journal.active() && (!was_in_agent || allow_handlers)) {
    siginfo_t mine;
    if (take(self(), ~self().mask & signal_bit(signo), &mine)) run_handler(signo, &mine, uc);
    if (pending_count_ > 0) deliver_to_current();
  }
  before_sigreturn(uc);
  rt.in_agent = was_in_agent;
}

void Signals::on_timer(const siginfo_t& info, ucontext_t* uc) {
  bool was_in_agent = rt.in_agent;
  if (rt.journal.active()) {
    arrive(info);
    return;
  }
  rt.in_agent = true;
  rt.timers.forward_expiry(info);
  if (!was_in_agent) {
    deliver_to_current();
    before_sigreturn(uc);
  }
  rt.in_agent = was_in_agent;
}

extern "C" void xb_signal_entry(int signo, siginfo_t* info, void* context) {
  auto* uc = static_cast<ucontext_t*>(context);
  if (signo == SIGSYS && info->si_code == 2 /* SYS_USER_DISPATCH */) {
    dispatch_system_call(uc);
  } else if (signo == SIGSYS && preemption_requested()) {
    preempt(uc);
  } else if (signo == SIGSYS && info->si_code == SI_TIMER) {
    rt.signals.on_timer(*info, uc);
  } else {
    rt.signals.on_signal(signo, info, uc);
  }
}

// ---------------------------------------------------------------------------------------------------------------
// Dispositions.

// Tells the kernel about actions_[signo]: a handler of the program becomes ours.
void Signals::install(int signo) {
  const KernelSigaction& act = actions_[signo];
  KernelSigaction kernel = act;
  bool ours = (act.handler == handler_of(SIG_DFL) && always_ours(signo)) || signo == SIGSYS ||
              (act.handler != handler_of(SIG_DFL) && act.handler != handler_of(SIG_IGN));
  if (ours) {
    kernel.handler = reinterpret_cast<std::uint64_t>(&xb_signal_entry);
    kernel.restorer = reinterpret_cast<std::uint64_t>(&xb_restorer);
    kernel.flags =
        SA_SIGINFO | kSaRestorer | SA_NODEFER | (act.flags & (SA_ONSTACK | SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT));
    kernel.mask = ~std::uint64_t{0} & ~signal_bit(SIGSYS);
    if (act.handler == handler_of(SIG_DFL)) kernel.flags |= SA_RESTART;  // the program has none to be interrupted by
    if (signo == SIGSYS) {  // runs on the thread's own stack, and switches threads in its middle
      kernel.flags = SA_SIGINFO | kSaRestorer | SA_NODEFER;
      kernel.mask = 0;
    }
  }
  sys(SYS_rt_sigaction, signo, &kernel, 0, kSigsetBytes);
}

bool Signals::handler_may_wake_somebody() const {
  for (int s = 1; s <= kSignals; s++) {
    std::uint64_t h = actions_[s].handler;
    bool handled = h != handler_of(SIG_DFL) && h != handler_of(SIG_IGN);
    bool internal = s == 32 || s == 33 || (kSynchronous & signal_bit(s)) != 0;
    if (handled && !internal && receiver(s, nullptr)) return true;
  }
  return false;
}

void Signals::become_native(Thread& t) {
  for (int s = 1; s <= kSignals; s++)
    if (always_ours(s) || (actions_[s].handler != handler_of(SIG_DFL) && actions_[s].handler != handler_of(SIG_IGN)))
      sys(SYS_rt_sigaction, s, &actions_[s], 0, kSigsetBytes);
  kernel_mask_ = t.mask;
}

}  // namespace xbdbg::agent
