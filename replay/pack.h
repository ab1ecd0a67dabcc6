// replay/pack.h — makes a trace stand alone: copies the program, the libraries it loaded, the agent and their debug
// files into it, so that it replays on another machine of the same architecture.
//
// Modules go to root/PATH, at the path they had; debug files to debug/.build-id/ab/cdef.debug. meta.json then lists
// them (Trace::packed()), and check_start prefers them. Packing again adds what is missing and changes nothing else.
// A module that is no longer what it was is an error: the trace would not replay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/trace_reader.h"
#include "tracer/base/result.h"

namespace xbdbg {

struct PackOptions {
  std::vector<std::string> debug_roots{"/usr/lib/debug"};
};

struct PackSummary {
  std::uint32_t files = 0;        // modules copied now
  std::uint32_t debug_files = 0;  // copied now
  std::uint64_t bytes = 0;
};

Result<PackSummary> pack_trace(const Trace& trace, const PackOptions& options = {});

}  // namespace xbdbg
