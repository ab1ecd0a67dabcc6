#include "tracer/launch_env.h"

#include "tracer/agent/launch_env.h"
#include "tracer/agent/protocol.h"

namespace xbdbg {

namespace {

// rseq: the kernel would write into parked threads' memory. arena_max: one malloc arena for all threads, since only
// one of them runs at a time anyway. Later entries override earlier ones.
constexpr char kTunables[] = "glibc.pthread.rseq=0:glibc.malloc.arena_max=1";

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

Environment target_environment(const Environment& user, const std::string& agent_path, int arena_fd) {
  Environment env = user;
  const auto preload = find_variable(user, agent::kPreloadVariable);
  const auto tunables = find_variable(user, agent::kTunablesVariable);
  set_variable(env, agent::kTunablesVariable, joined(tunables.value_or(""), kTunables));
  set_variable(env, agent::kArenaFdVariable, std::to_string(arena_fd));
  if (agent_path.empty()) return env;
  set_variable(env, agent::kPreloadVariable, joined(agent_path, preload.value_or("")));
  if (preload) set_variable(env, agent::kUserPreloadVariable, *preload);
  if (tunables) set_variable(env, agent::kUserTunablesVariable, *tunables);
  return env;
}

}  // namespace xbdbg
