// replay/trace_store.h — the folder in which traces live when the user names no other.
//
//   $XDG_DATA_HOME/xbdbg (else ~/.local/share/xbdbg)
//     bank-1/              NAME-N: of the program's file name, numbered from 1
//     bank-2.incomplete/   being recorded, or cut off
//     latest -> bank-2     the one begun last, whether it is whole or not
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/trace.h"
#include "replay/trace_writer.h"
#include "tracer/base/result.h"
#include "tracer/launch_env.h"

namespace xbdbg {

struct StoredTrace {
  std::string name{};       // "bank-1"; without ".incomplete"
  std::string directory{};  // as it is on disk
  bool complete = false;
  bool recording = false;  // a process has it open for writing
  bool latest = false;
  std::uint64_t bytes = 0;              // on disk, all files
  std::optional<TraceInfo> info{};      // nullopt: `problem` says why not
  std::optional<TraceEnding> ending{};  // the same
  std::string problem{};
};

class TraceStore {
 public:
  explicit TraceStore(std::string root) : root_(std::move(root)) {}
  // From XDG_DATA_HOME, else HOME; an Error when neither is an absolute path.
  static Result<TraceStore> from_environment(const Environment& env);

  const std::string& root() const { return root_; }

  // Begins the trace NAME-N for info.program, with the next free number (two recordings at once get two), and makes
  // `latest` point to it. Makes the root if need be.
  Result<TraceWriter> create(const TraceInfo& info) const;

  // The directory on disk (perhaps .incomplete) that the user means: "" is the latest; "bank-2" a name; "bank" the
  // last one of that program; anything with a slash, or that is no name here, a path. Errc::not_found, with a hint.
  Result<std::string> resolve(std::string_view argument) const;

  Result<std::vector<StoredTrace>> list() const;  // oldest first; an empty or absent store is no error

  // Removes a trace, given its directory on disk (from resolve). Refuses what is not a trace, has other things in it,
  // or is being recorded.
  Result<> remove(const std::string& directory) const;

 private:
  std::string root_;
};

}  // namespace xbdbg
