// ui-tui/cli/replay_session.h — `xbdbg replay`: the execution of a trace again, compared with it all the way.
//
// It ends as the recording did: with the program's status, by its signal, with the report about its deadlock.
// Whatever is different is a divergence, which is reported on stderr; the exit status is then kExitError.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "replay/start_check.h"
#include "replay/trace_reader.h"
#include "tracer/base/log.h"
#include "tracer/base/unique_fd.h"
#include "ui-tui/cli/stream_watch.h"
#include "ui-tui/cli/target_session.h"

namespace xbdbg {

struct ReplayPlan {
  Trace trace;
  UniqueFd events{};  // where event lines go, if they are wanted
  LogFilter log{};
};

class ReplaySession : private SessionRole {
 public:
  ReplaySession(const Context& context, ReplayPlan plan);

  Result<Ending> run();
  std::uint64_t events() const { return session_.events(); }  // after run()

 private:
  Result<> launched(Launched& target) override;
  Result<std::optional<TargetEnd>> look() override;
  std::optional<std::chrono::milliseconds> patience() const override;
  FollowOptions follow_options(const AgentStatus& status) const override;
  StallLimits stall_limits() const override;
  Result<Ending> conclude(const TargetEnd& end) override;
  Result<> finish(const Result<TargetEnd>& end) override;

  bool is_past_the_end(const AgentStatus& status);
  Result<Ending> ended_by_itself(const TargetEnd& end);
  Result<Ending> end_as_recorded(const TargetEnd& end);
  Result<Ending> diverged(const TargetEnd& end, std::string message);
  std::string with_site(std::string line);

  ReplayPlan plan_;
  TargetSession session_;
  StreamWatch stream_;
  ReplayFiles files_{};

  // Behind the end of the journal: what was seen last, and the processor time then.
  std::uint64_t last_events_ = 0;
  std::optional<std::chrono::nanoseconds> quiet_since_{};
};

}  // namespace xbdbg
