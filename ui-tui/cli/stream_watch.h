// ui-tui/cli/stream_watch.h — reads the agent's stream of events and choices while the target runs, as often as
// something comes, into an EventLog.
//
// Without anything to write it does nothing: then the agent writes no stream either.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "replay/schedule_file.h"
#include "tracer/stream.h"
#include "ui-tui/cli/target_session.h"
#include "ui-tui/event_log.h"

namespace xbdbg {

class StreamWatch {
 public:
  struct Wanted {
    int events_fd = -1;            // -1: no event lines
    Schedule* schedule = nullptr;  // nullptr: choices are not kept
  };
  StreamWatch(TargetSession& session, Wanted wanted) : session_(session), wanted_(wanted) {}

  bool active() const { return wanted_.events_fd >= 0 || wanted_.schedule != nullptr; }
  void launched(Launched& target);
  Result<> look();
  std::optional<std::chrono::milliseconds> patience() const;
  Result<> finish();  // after the target's end

 private:
  void meet_agent();

  TargetSession& session_;
  Wanted wanted_;
  std::optional<EventLog> log_{};
  std::optional<StreamReader> reader_{};
  bool met_agent_ = false;
  std::chrono::milliseconds idle_{0};  // how long to wait until the next look
};

}  // namespace xbdbg
