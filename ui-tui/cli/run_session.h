// ui-tui/cli/run_session.h — one execution of a program under the agent, from launch to the way it ended.
//
// Drains what the agent writes, passes signals on, and turns the end of the target (its exit, its death, a deadlock,
// a failure of the agent) into the way xbdbg ends. The target is gone when `run` returns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tracer/launch.h"
#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/pass_through.h"
#include "ui-tui/cli/run_options.h"

namespace xbdbg {

class RunSession {
 public:
  RunSession(const Context& context, RunPlan plan, std::vector<std::string> argv);

  Result<Ending> run();

 private:
  Result<Launched> launch_target();
  Result<Ending> watch();
  Result<Ending> target_ended(const TargetEvent& event);
  Result<std::optional<Ending>> target_stopped();
  Result<Ending> deadlocked();
  Error agent_failed(const AgentStatus& status) const;
  Error never_took_over(const TargetEvent& event) const;

  const Context& context_;
  RunPlan plan_;
  std::vector<std::string> argv_;
  std::optional<Launched> target_{};
  std::optional<PassThrough> pass_through_{};
};

}  // namespace xbdbg
