#include "ui-tui/cli/agent_library.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "tracer/launch_env.h"

namespace xbdbg {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "libxbdbg-agent.so";

std::optional<std::string> chosen_library(const Surroundings& surroundings) {
  const auto chosen = find_variable(surroundings.variables, "XBDBG_AGENT");
  if (!chosen || chosen->empty()) return std::nullopt;
  return (fs::path(surroundings.working_directory) / *chosen).string();
}

fs::path prefix(const Surroundings& surroundings) {
  return fs::path(surroundings.executable).parent_path().parent_path();
}

}  // namespace

std::string expected_agent_library(const Surroundings& surroundings) {
  if (auto chosen = chosen_library(surroundings)) return *std::move(chosen);
  return prefix(surroundings) / "lib" / kName;
}

Result<std::string> find_agent_library(const Surroundings& surroundings) {
  if (const auto chosen = chosen_library(surroundings)) {
    if (::access(chosen->c_str(), R_OK) == 0) return *chosen;
    return os_error(fmt::format("read the agent library {} (from $XBDBG_AGENT)", *chosen),
                    "unset XBDBG_AGENT to use the library that came with xbdbg");
  }
  const fs::path base = prefix(surroundings);
  for (const fs::path& folder : {base / "lib", base / "lib/xbdbg"}) {
    const std::string path = folder / kName;
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return Error{Errc::not_found,
               fmt::format("the agent library {} is neither in {}/lib nor in {}/lib/xbdbg", kName, base.string(),
                           base.string()),
               "build it (ninja xbdbg-agent), install xbdbg again, or name it in XBDBG_AGENT"};
}

}  // namespace xbdbg
