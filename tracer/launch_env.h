// tracer/launch_env.h — the environment a target is started with: the user's, with the agent's additions.
//
// Pure. The agent takes the additions away again before the program runs (tracer/agent/launch_env.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xbdbg {

using Environment = std::vector<std::string>;  // "NAME=value"

std::optional<std::string_view> find_variable(const Environment& env, std::string_view name);

// `agent_path` empty: no library is preloaded, and nothing to put back is passed on.
Environment target_environment(const Environment& user, const std::string& agent_path, int arena_fd);

}  // namespace xbdbg
