// tracer/agent/signal_calls.cc — the system calls about signals.

#include <errno.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

long Signals::sigaction(int signo, const KernelSigaction* act, KernelSigaction* old) {
  if (signo < 1 || signo > kSignals || (act && (signo == SIGKILL || signo == SIGSTOP))) return -EINVAL;
  KernelSigaction before = actions_[signo];
  if (act) {
    actions_[signo] = *act;
    actions_[signo].mask &= ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
    install(signo);
    if (ignored(signo)) {  // setting a signal to be ignored discards what is pending
      siginfo_t info;
      for (std::uint32_t i = 0; i < pending_count_;)
        if (pending_[i].info.si_signo != signo ||
            !take(pending_[i].target ? *pending_[i].target : self(), signal_bit(signo), &info))
          i++;
    }
  }
  if (old) *old = before;
  return 0;
}

long Signals::sigprocmask(int how, const std::uint64_t* set, std::uint64_t* old) {
  Thread& t = self();
  std::uint64_t before = t.mask;
  if (set) {
    std::uint64_t s = *set;
    if (how == SIG_BLOCK)
      s = before | s;
    else if (how == SIG_UNBLOCK)
      s = before & ~s;
    else if (how != SIG_SETMASK)
      return -EINVAL;
    set_mask(t, s);
  }
  if (old) *old = before;
  return 0;
}

long Signals::sigpending(std::uint64_t* set) {
  std::uint64_t kernel = 0;
  world(SYS_rt_sigpending, &kernel, kSigsetBytes);
  lent_ &= kernel;
  if (&self() != lent_by_) kernel &= ~lent_;
  for (std::uint32_t i = 0; i < pending_count_; i++)
    if (!pending_[i].target || pending_[i].target == &self()) kernel |= signal_bit(pending_[i].info.si_signo);
  *set = kernel & self().mask;
  return 0;
}

bool Signals::timer_pending(int signo, int timer_id) const {
  std::uint64_t kernel = 0;  // has what every thread blocks, see post()
  world(SYS_rt_sigpending, &kernel, kSigsetBytes);
  if (kernel & signal_bit(signo)) return true;
  for (std::uint32_t i = 0; i < pending_count_; i++) {
    const siginfo_t& info = pending_[i].info;
    if (info.si_signo == signo && info.si_code == SI_TIMER && info.si_timerid == timer_id) return true;
  }
  return false;
}

long Signals::sigtimedwait(const std::uint64_t* set, siginfo_t* info, const timespec* timeout, const Caller& caller) {
  if (timeout && !valid_ns(*timeout)) return -EINVAL;
  std::uint64_t wanted = *set & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  std::uint64_t deadline = timeout ? rt.clock.from_relative(*timeout) : kNever;
  siginfo_t got{};
  for (;;) {
    timespec now{};
    if (take(self(), wanted, &got) || world(SYS_rt_sigtimedwait, &wanted, &got, &now, kSigsetBytes) > 0) {
      if (info) *info = got;
      event(Operation::signal_wait, static_cast<std::uint64_t>(got.si_signo), 0, caller);
      return got.si_signo;
    }
    WaitSpec wait{.operation = Operation::signal_wait,
                  .object = wanted,
                  .key = self().own_key(),
                  .deadline = deadline,
                  .on_signal = OnSignal::give_up,
                  .external = {ExternalWait::Kind::signals, nullptr, 0, wanted}};
    Wake wake = rt.scheduler.block(wait, caller);
    if (wake == Wake::timeout) return -EAGAIN;
    if (wake == Wake::interrupted) return -EINTR;
  }
}

long Signals::sigsuspend(const std::uint64_t* mask, const Caller& caller) {
  Thread& t = self();
  std::uint64_t before = t.mask;
  if (mask) set_mask(t, *mask);
  WaitSpec wait{.operation = Operation::signal_wait,
                .object = 0,
                .key = t.own_key(),
                .on_signal = OnSignal::give_up,
                .external = {ExternalWait::Kind::signals, nullptr, 0, 0}};
  while (rt.scheduler.block(wait, caller) != Wake::interrupted) {
  }
  set_mask(t, before);
  event(Operation::signal_wait, 0, EINTR, caller);
  return -EINTR;
}

long Signals::sigaltstack(const stack_t* stack, stack_t* old) {
  long r = sys(SYS_sigaltstack, stack, old);  // the kernel's is the current thread's, and it checks the arguments
  if (r == 0 && stack) {
    sys(SYS_sigaltstack, 0, &kernel_alt_stack_);
    kernel_alt_stack_.ss_flags &= ~SS_ONSTACK;
    self().alt_stack = kernel_alt_stack_;
    auto begin = reinterpret_cast<std::uint64_t>(stack->ss_sp);
    if ((stack->ss_flags & SS_DISABLE) == 0) rt.stacks.add(begin, begin + stack->ss_size);
  }
  return r;
}

}  // namespace xbdbg::agent
