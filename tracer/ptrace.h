// tracer/ptrace.h — the one door to ptrace and to waiting for traced threads.
//
// A traced thread is either Running or Stopped, and only Stopped has the requests that need a stop; resuming and
// waiting consume one and give the other. Nothing here decides what a stop means.
//
//   XB_TRY(Running running, Running::seize(tid, PTRACE_O_EXITKILL));
//   XB_TRY(WaitOutcome outcome, std::move(running).wait());
//   if (auto* stopped = std::get_if<Stopped>(&outcome)) XB_CHECK(std::move(*stopped).detach(0));
//
// All calls must come from the thread that seized. A thread that is gone gives Errc::target_gone.
#pragma once

#include <sys/user.h>

#include <variant>

#include "tracer/base/ids.h"
#include "tracer/base/log.h"
#include "tracer/base/result.h"

namespace xbdbg {

class Stopped;

struct TraceeEnded {
  int wait_status = 0;  // WIFEXITED or WIFSIGNALED holds
};

using WaitOutcome = std::variant<Stopped, TraceeEnded>;

class Running {
 public:
  Running(Running&&) = default;
  Running& operator=(Running&&) = default;
  // `log` may be null; otherwise it gets every ptrace call at trace level (module "ptrace"), and must outlive this.
  static Result<Running> seize(Tid tid, unsigned long options, const Logger* log = nullptr);
  Tid tid() const { return tid_; }
  Result<> interrupt();           // asks a seized thread to stop; wait() sees it
  Result<WaitOutcome> wait() &&;  // blocks until the thread stops or ends

 private:
  friend class Stopped;
  Running(Tid tid, const Logger* log) : tid_(tid), log_(log) {}
  Tid tid_;
  const Logger* log_;
};

class Stopped {
 public:
  Stopped(Stopped&&) = default;
  Stopped& operator=(Stopped&&) = default;
  Tid tid() const { return tid_; }
  int signal() const;      // the signal that stopped it (SIGTRAP for ptrace's own events)
  unsigned event() const;  // PTRACE_EVENT_..., 0 for a signal-delivery stop
  Result<user_regs_struct> regs() const;
  Result<> set_regs(const user_regs_struct& regs) const;
  Result<Running> resume(int signal_to_deliver) &&;
  Result<Running> step() &&;  // one instruction
  Result<> detach(int signal_to_deliver) &&;

 private:
  friend class Running;
  Stopped(Tid tid, int wait_status, const Logger* log) : tid_(tid), wait_status_(wait_status), log_(log) {}
  Tid tid_;
  int wait_status_;
  const Logger* log_;
};

}  // namespace xbdbg
