// tracer/launch.h — starts a target so that every run of it begins alike, with the agent in it.
//
// Address randomisation is off; the new program is prepared at its exec stop (exec_stop.h); the agent is preloaded
// and finds the shared arena at a high descriptor. Then the target is let go: it is not traced while it runs. What
// cannot be controlled is refused before anything starts (launch_check.h).
//
// With `as_recorded` the program starts as that recording did, whatever the environment, working directory and limits
// of xbdbg are now: the same addresses hold the same bytes.
//
//   XB_TRY(Launched target, launch({.argv = {"./prog"}, .env = env, .agent_path = path}));
//   XB_TRY(TargetEvent event, target.process.wait_event(std::nullopt));
//
// A target that is killed while it starts (Ctrl-C) is no error: its end is the first event.
#pragma once

#include <string>
#include <vector>

#include "tracer/agent/protocol.h"
#include "tracer/arena.h"
#include "tracer/base/log.h"
#include "tracer/base/result.h"
#include "tracer/launch_env.h"
#include "tracer/start_image.h"
#include "tracer/target_process.h"

namespace xbdbg {

struct LaunchOptions {
  std::vector<std::string> argv{};
  Environment env{};         // the user's; the agent's variables are added
  std::string agent_path{};  // libxbdbg-agent.so; empty: no agent
  agent::Config config{};    // stream_bytes 0: a default; schedule_count is taken from `schedule`
  std::vector<agent::Choice> schedule{};
  const ReplayInput* replay = nullptr;      // for Mode::replay
  const StartImage* as_recorded = nullptr;  // argv and env are then not looked at
  std::vector<Redirect> redirects{};        // with as_recorded: files that are elsewhere now
  const Logger* log = nullptr;
};

struct Launched {
  SharedArena arena;
  UniqueFd agent_library;  // a program that the target becomes by execve opens it again
  TargetProcess process;
  StartImage start{};  // empty when it was killed before it began
};

Result<Launched> launch(const LaunchOptions& options);

}  // namespace xbdbg
