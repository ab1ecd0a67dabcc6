// ui-tui/cli/agent_library.h — where the agent is: $XBDBG_AGENT, or beside the xbdbg that runs.
#pragma once

#include <string>

#include "tracer/base/result.h"
#include "ui-tui/cli/commands.h"

namespace xbdbg {

// In a build tree it is ../lib/libxbdbg-agent.so from the executable, installed it is in ../lib/xbdbg/.
Result<std::string> find_agent_library(const Surroundings& surroundings);

// The first place where it is looked for, whether it is there or not.
std::string expected_agent_library(const Surroundings& surroundings);

}  // namespace xbdbg
