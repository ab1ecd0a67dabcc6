// tracer/brief_stop.h — a running target, stopped with ptrace for a look and a few steps, and let go again.
//
// While the object lives the target stands still, seized by the calling thread, and both are bound to one processor
// (a stop is then many times cheaper). Its end lets the target go, with the signal that arrived meanwhile, if any.
#pragma once

#include <sched.h>
#include <sys/user.h>

#include <optional>

#include "tracer/base/ids.h"
#include "tracer/base/result.h"
#include "tracer/ptrace.h"

namespace xbdbg {

class BriefStop {
 public:
  // Nothing: it has ended, or is about to handle a signal, or was stopped by one.
  static Result<std::optional<BriefStop>> of(Pid pid, const Logger* log);
  BriefStop(BriefStop&& other) noexcept;
  BriefStop& operator=(BriefStop&&) = delete;
  ~BriefStop();

  Pid pid() const { return pid_; }
  const user_regs_struct& regs() const { return regs_; }
  // In the middle of a system call, or on the way out of one.
  bool in_system_call() const { return static_cast<long>(regs_.orig_rax) >= 0; }
  // One instruction. False: a signal or the end came instead; do no more.
  Result<bool> step();

 private:
  explicit BriefStop(Pid pid);
  Result<bool> accept(Result<WaitOutcome> outcome, unsigned event);
  void bind_to_one_processor();

  Pid pid_;
  std::optional<Stopped> stopped_{};
  user_regs_struct regs_{};
  int arrived_ = 0;  // a signal to hand on
  bool bound_ = false;
  cpu_set_t our_processors_{}, its_processors_{};
};

}  // namespace xbdbg
