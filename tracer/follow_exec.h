// tracer/follow_exec.h — the target becomes another program, and the agent with it.
//
// To be called when the target was found stopped with agent::State::exec. See NOTE [Following an exec] in
// tracer/agent/exec.cc: the target is seized, its call changed so that the new program gets the agent, and the new
// program prepared as at launch. When this returns, the target runs again, untraced.
//
// What xbdbg could not launch it cannot follow either (launch_check.h). Run without recording, such a program goes on
// natively. A recording or replay ends there, with an error that says why.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/arena.h"
#include "tracer/base/log.h"
#include "tracer/base/result.h"
#include "tracer/start_image.h"
#include "tracer/target_process.h"

namespace xbdbg {

struct FollowOptions {
  const StartImage* as_recorded = nullptr;  // replay: of the program that comes next
  std::vector<Redirect> redirects{};        // replay: files that are elsewhere now
  const Logger* log = nullptr;
};

struct FollowedExec {
  enum class Outcome : std::uint8_t {
    followed,    // the new program runs, and the agent will take over again (State::launching until then)
    failed,      // execve returned an error; the program goes on
    left_alone,  // the new program runs natively (State::ended)
    ended,       // the target was killed meanwhile
  };
  Outcome outcome = Outcome::ended;
  StartImage start{};  // `followed`: for the trace
};

Result<FollowedExec> follow_exec(TargetProcess& process, SharedArena& arena, const FollowOptions& options);

}  // namespace xbdbg
