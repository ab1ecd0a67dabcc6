#include "tracer/brief_stop.h"

#include <sys/ptrace.h>

#include <csignal>
#include <utility>

namespace xbdbg {

BriefStop::BriefStop(Pid pid) : pid_(pid) {}

BriefStop::BriefStop(BriefStop&& other) noexcept
    : pid_(other.pid_),
      stopped_(std::exchange(other.stopped_, std::nullopt)),
      regs_(other.regs_),
      arrived_(other.arrived_),
      bound_(std::exchange(other.bound_, false)),
      our_processors_(other.our_processors_),
      its_processors_(other.its_processors_) {}

BriefStop::~BriefStop() {
  if (bound_) {
    (void)::sched_setaffinity(pid_.raw(), sizeof its_processors_, &its_processors_);
    (void)::sched_setaffinity(0, sizeof our_processors_, &our_processors_);
  }
  if (stopped_) (void)std::move(*stopped_).detach(arrived_);
}

Result<std::optional<BriefStop>> BriefStop::of(Pid pid, const Logger* log) {
  XB_TRY(Running running, Running::seize(Tid(pid.raw()), 0, log));
  BriefStop stop(pid);
  XB_CHECK(running.interrupt());
  XB_TRY(const bool is_ours, stop.accept(std::move(running).wait(), PTRACE_EVENT_STOP));
  if (!is_ours) return std::optional<BriefStop>();
  stop.bind_to_one_processor();
  return std::optional<BriefStop>(std::move(stop));
}

void BriefStop::bind_to_one_processor() {
  if (::sched_getaffinity(0, sizeof our_processors_, &our_processors_) != 0 ||
      ::sched_getaffinity(pid_.raw(), sizeof its_processors_, &its_processors_) != 0) {
    return;
  }
  const int processor = ::sched_getcpu();
  if (processor < 0 || !CPU_ISSET(processor, &its_processors_)) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  bound_ = true;
  (void)::sched_setaffinity(0, sizeof one, &one);
  (void)::sched_setaffinity(pid_.raw(), sizeof one, &one);
}

Result<bool> BriefStop::accept(Result<WaitOutcome> outcome, unsigned event) {
  if (!outcome) return std::move(outcome).error();
  auto* stopped = std::get_if<Stopped>(&*outcome);
  if (stopped == nullptr) return false;
  stopped_ = std::move(*stopped);
  const bool expected = stopped_->event() == event && stopped_->signal() == SIGTRAP;
  if (!expected && stopped_->event() == 0) arrived_ = stopped_->signal();
  XB_TRY(regs_, stopped_->regs());
  return expected;
}

Result<bool> BriefStop::step() {
  Stopped stopped = *std::exchange(stopped_, std::nullopt);
  XB_TRY(Running running, std::move(stopped).step());
  return accept(std::move(running).wait(), 0);
}

}  // namespace xbdbg
