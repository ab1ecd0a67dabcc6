// tracer/launch_env.h — the environment a target is started with: the user's, with the agent's additions.
//
// Pure. The agent takes the additions away again before the program runs (tracer/agent/launch_env.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"

namespace xbdbg {

using Environment = std::vector<std::string>;  // "NAME=value"

std::optional<std::string_view> find_variable(const Environment& env, std::string_view name);

// The descriptors a target starts with. The agent is preloaded through its own, so that nothing in the target depends
// on where xbdbg is installed.
struct TargetFds {
  int arena = -1;
  int agent = -1;  // -1: no library is preloaded, and nothing to put back is passed on

  friend bool operator==(const TargetFds&, const TargetFds&) = default;
};

// High numbers, so that the target's own are what they always are, and yet below the limit (RLIMIT_NOFILE).
Result<TargetFds> choose_fds(std::uint64_t limit, const std::function<bool(int)>& is_free);

Environment target_environment(const Environment& user, const TargetFds& fds);

// Which descriptors such an environment names; an arena of -1: none.
TargetFds fds_of(const Environment& target);

}  // namespace xbdbg
