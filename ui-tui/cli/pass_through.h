// ui-tui/cli/pass_through.h — xbdbg stays out of the way between the terminal and the program.
//
// Both are in one process group: Ctrl-C and Ctrl-\ reach the program by themselves, so xbdbg ignores them while this
// object lives. SIGTERM and SIGHUP sent to xbdbg are meant for the program, and are passed on. Ctrl-Z stops both.
#pragma once

#include <csignal>
#include <optional>

#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"
#include "tracer/target_process.h"

namespace xbdbg {

class PassThrough {
 public:
  // After the target was launched: it must not inherit any of this.
  static Result<PassThrough> begin();
  PassThrough(PassThrough&& other) noexcept;
  PassThrough& operator=(PassThrough&&) = delete;
  ~PassThrough();

  // Like process.wait_event, and passes on the signals that arrive meanwhile.
  Result<TargetEvent> wait_event(TargetProcess& process, std::optional<std::chrono::milliseconds> timeout);

  // The target was stopped by a signal that is not ours. When its whole job was (Ctrl-Z), it is continued with us;
  // when only the target was, stop, too, so that the shell notices, and let it go on when we are continued.
  Result<> stop_with(TargetProcess& process);

 private:
  PassThrough() = default;
  Result<> forward(TargetProcess& process);

  UniqueFd signals_{};
  sigset_t old_mask_{};
  struct sigaction old_interrupt_ {};
  struct sigaction old_quit_ {};
  bool active_ = false;
};

}  // namespace xbdbg
