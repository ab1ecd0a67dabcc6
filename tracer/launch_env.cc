#include "tracer/launch_env.h"

#include <climits>

#include "tracer/agent/launch_env.h"
#include "tracer/agent/protocol.h"
#include "tracer/base/str.h"

namespace xbdbg {

namespace {

// rseq: the kernel would write into parked threads' memory. arena_max: one malloc arena for all threads, since only
// one of them runs at a time anyway. Later entries override earlier ones.
constexpr char kTunables[] = "glibc.pthread.rseq=0:glibc.malloc.arena_max=1";

constexpr std::string_view kFdFolder = "/proc/self/fd/";

bool names(const std::string& entry, std::string_view name) {
  return entry.size() > name.size() && entry[name.size()] == '=' && entry.compare(0, name.size(), name) == 0;
}

// Replaces the variable where it stands, so that the order of the others is kept.
void set_variable(Environment& env, std::string_view name, std::string_view value) {
  std::string entry = std::string(name) + "=" + std::string(value);
  for (std::string& old : env) {
    if (names(old, name)) {
      old = std::move(entry);
      return;
    }
  }
  env.push_back(std::move(entry));
}

std::string joined(std::string_view first, std::string_view second) {
  if (first.empty() || second.empty()) return std::string(first) + std::string(second);
  return std::string(first) + ":" + std::string(second);
}

}  // namespace

std::optional<std::string_view> find_variable(const Environment& env, std::string_view name) {
  for (const std::string& entry : env) {
    if (names(entry, name)) return std::string_view(entry).substr(name.size() + 1);
  }
  return std::nullopt;
}

Result<TargetFds> choose_fds(std::uint64_t limit, const std::function<bool(int)>& is_free) {
  constexpr std::uint64_t kFrom = 1000, kRoom = 16;  // below the usual limit of 1024
  const std::uint64_t from = limit >= kFrom + kRoom ? kFrom : limit > kRoom ? limit - kRoom : 3;
  std::vector<int> found;
  for (std::uint64_t fd = from; fd < limit && fd < INT_MAX && found.size() < 2; ++fd) {
    if (is_free(static_cast<int>(fd))) found.push_back(static_cast<int>(fd));
  }
  if (found.size() == 2) return TargetFds{found[0], found[1]};
  return Error{Errc::os, "no file descriptor is free for the memory shared with the target", "try: ulimit -n 1024"};
}

Environment target_environment(const Environment& user, const TargetFds& fds) {
  Environment env = user;
  const auto preload = find_variable(user, agent::kPreloadVariable);
  const auto tunables = find_variable(user, agent::kTunablesVariable);
  set_variable(env, agent::kTunablesVariable, joined(tunables.value_or(""), kTunables));
  set_variable(env, agent::kArenaFdVariable, std::to_string(fds.arena));
  if (fds.agent < 0) return env;
  const std::string library = std::string(kFdFolder) + std::to_string(fds.agent);
  set_variable(env, agent::kPreloadVariable, joined(library, preload.value_or("")));
  if (preload) set_variable(env, agent::kUserPreloadVariable, *preload);
  if (tunables) set_variable(env, agent::kUserTunablesVariable, *tunables);
  return env;
}

TargetFds fds_of(const Environment& target) {
  TargetFds fds;
  const auto number = [](std::string_view text) {
    const auto parsed = parse_u64(text);
    return parsed && *parsed <= INT_MAX ? static_cast<int>(*parsed) : -1;
  };
  fds.arena = number(find_variable(target, agent::kArenaFdVariable).value_or(""));
  const std::string_view preload = find_variable(target, agent::kPreloadVariable).value_or("");
  if (preload.substr(0, kFdFolder.size()) == kFdFolder) {
    fds.agent = number(preload.substr(kFdFolder.size(), preload.find(':') - kFdFolder.size()));
  }
  return fds;
}

}  // namespace xbdbg
