#include "replay/start_check.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "replay/trace_files.h"

namespace xbdbg {

namespace {

class Checker {
 public:
  Checker(const Trace& trace, const StartCheckOptions& options)
      : trace_(trace), options_(options), base_(absolute(trace.directory())) {
    for (const PackedFile& file : trace.packed()) packed_.emplace(file.path, &file);
  }

  ReplayFiles check() {
    files_.program = module(trace_.info().program);
    files_.agent = agent(trace_.info().agent);
    for (const KeptFile& file : trace_.files()) {
      files_.paths.push_back(file.copy.empty() ? module(file.original) : copy(file));
    }
    for (const PackedFile& file : trace_.packed()) {
      if (file.copy.starts_with("root/")) files_.redirects.push_back({file.path, inside(file.copy)});
    }
    if (!trace_.packed().empty()) files_.debug_roots.push_back(inside("debug"));
    return std::move(files_);
  }

 private:
  static std::string absolute(const std::string& path) {
    std::error_code failed;
    const auto found = std::filesystem::absolute(path, failed);
    return failed ? path : found.lexically_normal().string();
  }

  std::string inside(const std::string& relative) const { return base_ + "/" + relative; }

  void note(FileProblem::Kind kind, bool is_module, const std::string& path, std::string what) {
    for (const FileProblem& known : files_.problems) {
      if (known.path == path) return;  // the program is a kept file, too
    }
    files_.problems.push_back({kind, is_module, path, std::move(what)});
  }

  // A file that the trace holds.
  std::string checked_copy(const std::string& relative, std::uint64_t checksum, bool is_module) {
    std::string path = inside(relative);
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
      note(FileProblem::Kind::missing, is_module, path, "the trace's own copy is missing");
      return path;
    }
    if (!options_.content) return path;
    const auto found = file_checksum(path);
    if (!found) note(FileProblem::Kind::missing, is_module, path, found.error().what);
    if (found && *found != checksum) {
      note(FileProblem::Kind::changed, is_module, path, "the trace's own copy is damaged (its checksum differs)");
    }
    return path;
  }

  std::string copy(const KeptFile& file) { return checked_copy(file.copy, file.checksum, false); }

  // A file that the trace refers to, unless it was packed.
  std::string module(const FileReference& then) {
    if (const auto packed = packed_.find(then.path); packed != packed_.end()) {
      return checked_copy(packed->second->copy, packed->second->checksum, true);
    }
    const auto now = reference_to(then.path);
    if (!now) {
      note(FileProblem::Kind::missing, true, then.path, now.error().what);
    } else if (std::string what = difference(then, *now); !what.empty()) {
      note(FileProblem::Kind::changed, true, then.path, std::move(what));
    }
    return then.path;
  }

  std::string agent(const FileReference& then) {
    if (!packed_.contains(then.path) && !options_.own_agent.empty()) {
      const auto own = reference_to(options_.own_agent);
      if (own && !own->build_id.empty() && difference(then, *own).empty()) return own->path;
    }
    return module(then);
  }

  const Trace& trace_;
  const StartCheckOptions& options_;
  std::string base_;
  std::map<std::string, const PackedFile*> packed_{};
  ReplayFiles files_{};
};

}  // namespace

ReplayFiles check_start(const Trace& trace, const StartCheckOptions& options) {
  return Checker(trace, options).check();
}

Error problems_error(const ReplayFiles& files) {
  Error error{Errc::not_found, "replay: ",
              "a trace needs the files it was recorded with; `xbdbg pack` keeps them in it while they are there"};
  for (const FileProblem& problem : files.problems) {
    if (&problem != &files.problems.front()) error.what += "; ";
    error.what +=
        fmt::format("{} {}: {}", problem.path,
                    problem.kind == FileProblem::Kind::missing ? "is missing" : "has changed", problem.what);
    if (problem.kind == FileProblem::Kind::changed) error.code = Errc::bad_input;
  }
  return error;
}

}  // namespace xbdbg
