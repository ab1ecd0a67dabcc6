// ui-tui/cli/pass_through.h — xbdbg stays out of the way between the terminal and the program.
//
// Both are in one process group: Ctrl-C and Ctrl-\ reach the program by themselves, so xbdbg does nothing about them
// while this object lives. SIGTERM and SIGHUP sent to xbdbg are meant for the program, and are passed on. Ctrl-Z
// stops both.
//
// It must be there before the target is launched, which can be up and running before launch() returns. That is why it
// catches signals and neither ignores nor blocks them: exec gives a caught signal its default action back, and the
// target starts as it would have without us. Signals that were ignored (nohup) stay so, for both. At most one at a
// time.
#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"
#include "tracer/target_process.h"

namespace xbdbg {

class PassThrough {
 public:
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
  static constexpr std::array kCaught = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

  PassThrough() = default;
  Result<> forward(TargetProcess& process);

  Pipe caught_{};
  std::array<struct sigaction, kCaught.size()> old_{};
  bool active_ = false;
};

}  // namespace xbdbg
