// ui-tui/cli/run_options.h — what `xbdbg run` or `record` was asked for, and what that means for the agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::string_view command = "run";  // whose help explains them
};

void declare_schedule_options(CLI::App& app, RunOptions& options);  // --policy, --seed, --schedule
void declare_output_options(CLI::App& app, RunOptions& options);    // --save-schedule, --events
void declare_message_options(CLI::App& app, bool& verbose, std::string& log);

struct RunPlan {
  agent::Config config{};
  agent::PolicyKind made_by = agent::PolicyKind::first;  // what a saved schedule says about itself
  std::optional<Schedule> follow{};
  std::string follow_path{};  // the file it is from
  UniqueFd events{};          // where event lines go, if they are wanted
  std::string save_to{};      // schedule file, or empty
  LogFilter log{};
};

// Checks the options and opens the files: what can be refused is refused before anything runs.
Result<RunPlan> plan_run(const RunOptions& options);
std::string describe_plan(const RunPlan& plan);  // "policy random, seed 7"

// Where event lines go: a file, or with "-" stdout.
Result<UniqueFd> open_events(const std::string& path);
void want_events(agent::Config& config);
Result<LogFilter> parse_log_option(const std::string& spec);  // empty: the default

std::vector<agent::Choice> choices_of(const std::optional<Schedule>& schedule);  // none: none

}  // namespace xbdbg
