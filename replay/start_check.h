// replay/start_check.h — before a replay: is everything there that it maps and executes, and is it what it was?
//
// Each file is taken from the trace where the trace has it (kept copies, and what `pack` put in), else from where it
// was. A module is the same if its build-id and size are (without a build-id: its size and time).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/trace_reader.h"
#include "tracer/base/result.h"
#include "tracer/start_image.h"

namespace xbdbg {

struct FileProblem {
  enum class Kind : std::uint8_t { missing, changed };
  Kind kind = Kind::missing;
  bool module = false;  // the program, a library or the agent; else a file whose content was mapped
  std::string path{};   // that was looked at
  std::string what{};   // "its build-id was 8f3c..., and is 77aa... now"
};

struct ReplayFiles {
  std::vector<std::string> paths{};   // for Arena::files(), by number
  std::string program{};              // to execute
  std::string agent{};                // to preload
  std::vector<Redirect> redirects{};  // only of a packed trace: program, agent and modules, and where they are now
  std::vector<std::string> debug_roots{};  // of a packed trace: its debug/ (DebugFileSearch::roots)
  std::vector<FileProblem> problems{};     // if there are any, a replay is likely to fail or to diverge
};

struct StartCheckOptions {
  bool content = true;      // compare the copies in the trace with their checksums, which reads them whole
  std::string own_agent{};  // this xbdbg's agent: used if it is the one that recorded, wherever that one was
};

// Never an error: what is missing or changed is in `problems`. All paths that it returns are absolute.
ReplayFiles check_start(const Trace& trace, const StartCheckOptions& options = {});

// All problems as one error for the user (Errc::not_found or bad_input), with what to do.
Error problems_error(const ReplayFiles& files);

}  // namespace xbdbg
