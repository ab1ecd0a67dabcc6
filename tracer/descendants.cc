#include "tracer/descendants.h"

#include <signal.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "tracer/base/unique_fd.h"

namespace xbdbg {

namespace {

constexpr std::size_t kMaxProcFile = 1u << 20;

std::optional<pid_t> parse_pid(std::string_view text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc{} || end != text.data() + text.size() || pid <= 0) return std::nullopt;
  return pid;
}

// From /proc/PID/stat, which everybody may read, of zombies too.
struct ProcessStat {
  pid_t parent = 0;         // field 4
  unsigned long flags = 0;  // field 9: the kernel's PF_ flags
};

std::optional<ProcessStat> read_stat(pid_t pid) {
  const auto stat = read_whole_file("/proc/" + std::to_string(pid) + "/stat", kMaxProcFile);
  if (!stat) return std::nullopt;
  const std::size_t name_end = stat->rfind(')');  // field 2, the name, is in parentheses and may contain anything
  if (name_end == std::string::npos) return std::nullopt;
  ProcessStat found;
  if (std::sscanf(stat->c_str() + name_end + 1, " %*c %d %*d %*d %*d %*d %lu", &found.parent, &found.flags) != 2) {
    return std::nullopt;
  }
  return found;
}

// parent -> child, for every process there is.
std::multimap<pid_t, pid_t> process_tree() {
  std::multimap<pid_t, pid_t> tree;
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const auto pid = parse_pid(entries->path().filename().native());
    if (!pid) continue;
    if (const auto stat = read_stat(*pid)) tree.emplace(stat->parent, *pid);
  }
  return tree;
}

// The kernel's own list of this thread's children: one small file, so that little time passes before the kill.
// Not there on kernels without CONFIG_PROC_CHILDREN.
void kill_listed_children() {
  const auto list = read_whole_file("/proc/thread-self/children", kMaxProcFile);
  if (!list) return;
  std::string_view rest = *list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (const auto pid = parse_pid(rest.substr(0, end))) (void)::kill(*pid, SIGKILL);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  const auto tree = process_tree();
  for (auto [it, end] = tree.equal_range(parent); it != end; ++it) children.push_back(it->second);
  return children;
}

std::vector<pid_t> descendants_of(pid_t parent) {
  const auto tree = process_tree();
  std::vector<pid_t> parents{parent};
  for (std::size_t i = 0; i < parents.size() && i <= tree.size(); ++i) {
    for (auto [it, end] = tree.equal_range(parents[i]); it != end; ++it) parents.push_back(it->second);
  }
  parents.erase(parents.begin());
  return parents;
}

bool runs_without_randomisation(pid_t pid) {
  constexpr unsigned long kRandomize = 0x00400000;  // PF_RANDOMIZE of the kernel's linux/sched.h
  const auto stat = read_stat(pid);
  if (!stat || (stat->flags & kRandomize) != 0) return false;
  // Without the flag randomisation may be off in the whole system. The personality tells, but only to those who may
  // trace the process, and nobody but root may trace one that is ending.
  const auto text = read_whole_file("/proc/" + std::to_string(pid) + "/personality", 64);
  return !text || (std::strtoul(text->c_str(), nullptr, 16) & ADDR_NO_RANDOMIZE) != 0;
}

KillOutcome kill_descendants_once() {
  kill_listed_children();
  const std::vector<pid_t> all = descendants_of(::getpid());
  if (all.empty()) return KillOutcome::none_left;
  KillOutcome outcome = KillOutcome::cannot_kill;
  for (const pid_t pid : all) {
    if (::kill(pid, SIGKILL) == 0 || errno == ESRCH) outcome = KillOutcome::some_left;
  }
  return outcome;
}

}  // namespace xbdbg
