// ui-tui/cli/run_session.h — one execution of a program under the agent, from launch to the way it ended.
//
// Drains what the agent writes, passes signals on, and turns the end of the target (its exit, its death, a deadlock,
// a failure of the agent) into the way xbdbg ends. The target is gone when `run` returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/schedule_file.h"
#include "tracer/base/log.h"
#include "tracer/launch.h"
#include "tracer/stall_watcher.h"
#include "tracer/stream.h"
#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/pass_through.h"
#include "ui-tui/cli/run_options.h"
#include "ui-tui/event_log.h"
#include "ui-tui/object_names.h"
#include "ui-tui/target_symbols.h"

namespace xbdbg {

class RunSession {
 public:
  RunSession(const Context& context, RunPlan plan, std::vector<std::string> argv);
  RunSession(const RunSession&) = delete;  // names_ points to symbols_
  RunSession& operator=(const RunSession&) = delete;

  Result<Ending> run();

  std::uint64_t events() const { return events_; }  // after run()
  std::uint64_t choices() const { return choices_; }

 private:
  Result<Launched> launch_target();
  Result<Ending> watch();
  Result<> finish();
  Result<> save_schedule();

  bool wants_stream() const { return plan_.config.want_events != 0 || plan_.config.want_choices != 0; }
  Result<> look_at_stream();
  std::optional<std::chrono::milliseconds> patience() const;
  void meet_agent();
  Result<> look_for_stall();

  Result<Ending> target_ended(const TargetEvent& event);
  Result<std::optional<Ending>> target_stopped();
  Result<Ending> deadlocked();
  Error agent_failed(const AgentStatus& status) const;
  Error never_took_over(const TargetEvent& event) const;

  const Context& context_;
  RunPlan plan_;
  std::vector<std::string> argv_;
  Logger logger_;
  std::string build_id_{};
  TargetSymbols symbols_;
  ObjectNames names_;
  Schedule schedule_{};

  std::optional<PassThrough> pass_through_{};
  std::optional<Launched> target_{};
  std::optional<EventLog> log_{};
  std::optional<StreamReader> reader_{};
  std::optional<StallWatcher> stalls_{};
  bool told_of_stall_ = false;
  bool met_agent_ = false;
  std::chrono::milliseconds idle_{0};  // how long to wait until the next look at the stream
  std::uint64_t events_ = 0, choices_ = 0;
};

}  // namespace xbdbg
