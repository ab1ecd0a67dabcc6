// ui-tui/cli/run_options.h — what `xbdbg run` was asked for, and what that means for the agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "replay/schedule_file.h"
#include "tracer/agent/protocol.h"
#include "tracer/base/log.h"
#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace xbdbg {

struct RunOptions {
  std::string policy{};  // empty: not given
  std::optional<std::string> seed{};
  std::string schedule{};
  std::string save_schedule{};
  std::string events{};
  std::string log{};
  bool verbose = false;
};

void declare_run_options(CLI::App& app, RunOptions& options);

struct RunPlan {
  agent::Config config{};
  agent::PolicyKind made_by = agent::PolicyKind::first;  // what a saved schedule says about itself
  std::optional<Schedule> follow{};
  UniqueFd events{};      // where event lines go, if they are wanted
  std::string save_to{};  // schedule file, or empty
  LogFilter log{};
};

// Checks the options and opens the files: what can be refused is refused before anything runs.
Result<RunPlan> plan_run(const RunOptions& options);

}  // namespace xbdbg
