#include "replay/trace_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "replay/trace_files.h"
#include "replay/trace_reader.h"
#include "tracer/base/str.h"

namespace xbdbg {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kLatest = "latest";

bool is_directory(const std::string& path) {
  std::error_code failed;
  return fs::is_directory(path, failed);
}

// The file name of the program, with everything that would be awkward to type replaced.
std::string base_name(const TraceInfo& info) {
  const std::string& path = info.program.path.empty() && !info.argv.empty() ? info.argv.front() : info.program.path;
  std::string name = fs::path(path).filename();
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                       c == '_' || c == '+' || c == '-';
    if (!plain) c = '_';
  }
  if (name.empty() || name.front() == '.' || name.front() == '-') name.insert(0, 1, '_');
  return name;
}

std::string without_suffix(std::string name) {
  if (name.ends_with(kIncompleteSuffix)) name.resize(name.size() - kIncompleteSuffix.size());
  return name;
}

// N of "NAME-N"; 0 if it is not of this program.
std::uint64_t number_of(std::string_view entry, std::string_view program) {
  if (!entry.starts_with(program) || entry.size() < program.size() + 2 || entry[program.size()] != '-') return 0;
  const auto number = parse_u64(entry.substr(program.size() + 1));
  return number ? *number : 0;
}

std::vector<std::string> entries_of(const std::string& root) {
  std::vector<std::string> names;
  std::error_code failed;
  for (auto it = fs::directory_iterator(root, failed); !failed && it != fs::directory_iterator();
       it.increment(failed)) {
    names.push_back(it->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t last_number(const std::string& root, std::string_view program) {
  std::uint64_t last = 0;
  for (const std::string& name : entries_of(root)) last = std::max(last, number_of(without_suffix(name), program));
  return last;
}

// The directory that is called so, or was to be called so.
std::optional<std::string> on_disk(const std::string& path) {
  if (is_directory(path)) return path;
  std::string incomplete = path + std::string(kIncompleteSuffix);
  if (is_directory(incomplete)) return incomplete;
  return std::nullopt;
}

bool is_being_recorded(const std::string& directory) {
  const auto fd = open_regular(directory + "/journal");
  if (!fd) return false;
  return ::flock(fd->get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// Replaces the link in one step: there is always one, once there was one.
Result<> point_latest(const std::string& root, const std::string& name) {
  const std::string temporary = fmt::format("{}/.{}.{}", root, kLatest, name);
  const std::string link = root + "/" + std::string(kLatest);
  (void)::unlink(temporary.c_str());
  if (::symlink(name.c_str(), temporary.c_str()) != 0) return os_error("make the link " + temporary);
  if (::rename(temporary.c_str(), link.c_str()) == 0) return Ok{};
  Error error = os_error("make the link " + link);
  (void)::unlink(temporary.c_str());
  return error;
}

std::string latest_name(const std::string& root) {
  std::error_code failed;
  return fs::read_symlink(root + "/" + std::string(kLatest), failed);
}

StoredTrace stored_trace(const std::string& root, const std::string& entry) {
  StoredTrace stored;
  stored.name = without_suffix(entry);
  stored.directory = root + "/" + entry;
  stored.bytes = disk_usage(stored.directory);
  const bool named_incomplete = entry != stored.name;
  stored.recording = named_incomplete && is_being_recorded(stored.directory);
  const auto trace = Trace::open(stored.directory, {.allow_incomplete = named_incomplete});
  if (!trace) {
    stored.problem = trace.error().what;
    return stored;
  }
  stored.complete = !named_incomplete;
  stored.info = trace->info();
  stored.ending = trace->ending();
  stored.problem = trace->damage();
  return stored;
}

Error not_a_trace(const std::string& directory, std::string_view why) {
  return Error{Errc::refused, fmt::format("remove {}: {}", directory, why),
               "only traces are removed, and whole ones"};
}

// Only what a trace is made of may be in it; else the user has put something there.
Result<> check_content(const std::string& directory) {
  for (const std::string& name : entries_of(directory)) {
    const bool known = name == "meta.json" || name.starts_with("meta.json.") || name == "journal" ||
                       name == "files" || name == "root" || name == "debug";
    if (!known) return not_a_trace(directory, "it has something in it that is not part of a trace: " + name);
  }
  return Ok{};
}

}  // namespace

Result<TraceStore> TraceStore::from_environment(const Environment& env) {
  const auto data = find_variable(env, "XDG_DATA_HOME");
  if (data && data->starts_with('/')) return TraceStore(std::string(*data) + "/xbdbg");
  const auto home = find_variable(env, "HOME");
  if (home && home->starts_with('/')) return TraceStore(std::string(*home) + "/.local/share/xbdbg");
  return Error{Errc::bad_input, "find the traces: neither XDG_DATA_HOME nor HOME is set to an absolute path",
               "set HOME, or name a directory (record -o DIR, replay DIR)"};
}

Result<TraceWriter> TraceStore::create(const TraceInfo& info) const {
  std::error_code failed;
  fs::create_directories(root_, failed);
  if (failed) return Error{Errc::os, "make " + root_ + ": " + failed.message(), "-o DIR puts the trace elsewhere"};
  const std::string program = base_name(info);
  constexpr int kAttempts = 1000;  // each lost to another recording that began at the same time
  for (int i = 0; i < kAttempts; ++i) {
    const std::string name = fmt::format("{}-{}", program, last_number(root_, program) + 1);
    auto writer = TraceWriter::create(root_ + "/" + name, info);
    if (!writer && writer.error().code == Errc::refused) continue;
    if (writer) XB_CHECK(point_latest(root_, name));
    return writer;
  }
  return Error{Errc::os, "find a free number for " + root_ + "/" + program, "-o DIR puts the trace elsewhere"};
}

Result<std::string> TraceStore::resolve(std::string_view argument) const {
  constexpr char kHint[] = "xbdbg ls lists the traces there are; xbdbg record -- PROG makes one";
  std::string name(argument);
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  if (name.find('/') == std::string::npos) {
    if (name.empty() || name == kLatest) {
      const std::string latest = latest_name(root_);
      if (latest.empty()) return Error{Errc::not_found, "find the latest trace: there is none in " + root_, kHint};
      name = latest;
    }
    if (auto found = on_disk(root_ + "/" + name)) return *std::move(found);
    if (const std::uint64_t last = last_number(root_, name); last != 0) {
      if (auto found = on_disk(fmt::format("{}/{}-{}", root_, name, last))) return *std::move(found);
    }
  }
  if (auto found = on_disk(name)) return *std::move(found);
  return Error{Errc::not_found, fmt::format("find the trace {}: it is neither in {} nor a directory", name, root_),
               kHint};
}

Result<std::vector<StoredTrace>> TraceStore::list() const {
  std::vector<StoredTrace> traces;
  const std::string latest = latest_name(root_);
  for (const std::string& name : entries_of(root_)) {
    if (name == kLatest || !is_directory(root_ + "/" + name) || !looks_like_trace(root_ + "/" + name)) continue;
    traces.push_back(stored_trace(root_, name));
    traces.back().latest = traces.back().name == latest;
  }
  std::stable_sort(traces.begin(), traces.end(), [](const StoredTrace& a, const StoredTrace& b) {
    return (a.info ? a.info->start_time_ns : 0) < (b.info ? b.info->start_time_ns : 0);
  });
  return traces;
}

Result<> TraceStore::remove(const std::string& directory) const {
  std::error_code failed;
  if (fs::is_symlink(directory, failed)) return not_a_trace(directory, "it is a link");
  if (!is_directory(directory) || !looks_like_trace(directory)) return not_a_trace(directory, "it is not a trace");
  XB_CHECK(check_content(directory));
  if (is_being_recorded(directory)) return not_a_trace(directory, "it is being recorded");
  // What makes it a trace goes last: a removal that was interrupted can be done again.
  for (const char* part : {"files", "root", "debug"}) fs::remove_all(directory + "/" + part, failed);
  fs::remove_all(directory, failed);
  if (failed) return Error{Errc::os, "remove " + directory + ": " + failed.message()};
  const std::string latest = latest_name(root_);
  if (latest.empty() || on_disk(root_ + "/" + latest)) return Ok{};
  (void)::unlink((root_ + "/" + std::string(kLatest)).c_str());
  XB_TRY(const std::vector<StoredTrace> left, list());
  return left.empty() ? Result<>(Ok{}) : point_latest(root_, left.back().name);
}

}  // namespace xbdbg
