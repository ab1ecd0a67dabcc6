// replay/trace.h — what a trace says about an execution, as plain values. No I/O here.
//
// A trace is a directory (docs/TRACE_FORMAT.md):
//
//   meta.json   TraceInfo, and what `xbdbg pack` added; written whole or not at all
//   journal     chunks, compressed and checksummed: the journal (tracer/agent/journal_format.h), each KeptFile,
//               KeptMapping and StartImage as it was met, and at the end a TraceEnding
//   files/      copies of mapped files whose content may change: 0, 1, 2, ...
//   root/       only after `pack`: the program, its libraries and the agent, at their paths below this folder
//   debug/      only after `pack`: separate debug files, as DEBUG/.build-id/ab/cdef.debug
//
// While it is written the directory is called DIR.incomplete; it gets its name when the ending is in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/agent/protocol.h"

namespace xbdbg {

inline constexpr std::uint32_t kTraceVersion = 1;
inline constexpr std::string_view kTraceArchitecture = "x86-64";
inline constexpr std::string_view kIncompleteSuffix = ".incomplete";

// What a damaged or malicious trace can make us allocate or do. Exceeding one is an error that names it.
struct TraceLimits {
  std::uint64_t meta_bytes = 16u << 20;                   // of meta.json
  std::uint64_t meta_values = 300'000;                    // JSON values in it, or in one entry of the journal file
  std::uint64_t chunk_bytes = 1u << 20;                   // uncompressed
  std::uint64_t chunks = 16u << 20;                       // in one journal file
  std::uint64_t journal_bytes = std::uint64_t{16} << 30;  // uncompressed, all chunks together
  std::uint64_t start_bytes = 16u << 20;                  // of one encoded StartImage
  std::uint64_t starts = 65'536;                          // programs in one process, by exec
  std::uint64_t files = 65'536;                           // kept, and packed
};

// A file of the trace's machine that is not in the trace, and how to know it again.
struct FileReference {
  std::string path{};      // absolute
  std::string build_id{};  // lower-case hexadecimal; empty: none, or not ELF
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  friend bool operator==(const FileReference&, const FileReference&) = default;
};

struct TraceInfo {
  std::string architecture{kTraceArchitecture};
  std::string xbdbg_version{};
  std::vector<std::string> argv{};
  FileReference program{};                 // what argv[0] was resolved to
  FileReference agent{};                   // libxbdbg-agent.so
  std::vector<std::string> environment{};  // "NAME=value", the user's: without the agent's additions
  std::string working_directory{};
  agent::PolicyKind policy = agent::PolicyKind::first;
  std::uint64_t seed = 0;
  bool real_time = true;
  bool follow_every_operation = false;
  std::int64_t start_time_ns = 0;  // CLOCK_REALTIME when the recording began: for people
  friend bool operator==(const TraceInfo&, const TraceInfo&) = default;
};

// A file that the program mapped. Its number, by which the journal names it, is its place in Trace::files().
struct KeptFile {
  FileReference original{};
  std::string copy{};          // relative to the trace ("files/0"); empty: by reference, it is a module
  std::uint64_t checksum = 0;  // xxh64 of the copy
  friend bool operator==(const KeptFile&, const KeptFile&) = default;
};

// Where a kept file was mapped, as /proc/PID/maps had it: for symbols. (Mappings made by system calls are in the
// journal; these are the kernel's own, of the program and its loader, and whatever else was there when looked at.)
struct KeptMapping {
  std::uint32_t file = 0;
  std::uint64_t start = 0, end = 0, offset = 0;
  bool executable = false;
  std::uint32_t image = 0;  // JournalStart::image of the program that was running
  friend bool operator==(const KeptMapping&, const KeptMapping&) = default;
};

struct TraceEnding {
  enum class Kind : std::uint8_t {
    exited,       // `value` is the exit code
    killed,       // `value` is the signal
    deadlock,     // it was ended because no thread could ever run again
    no_progress,  // the same, and some thread spun
    failed,       // the agent could not go on: `message`
    unfinished,   // nobody wrote an ending: the recording was cut off
  };
  Kind kind = Kind::unfinished;
  std::int32_t value = 0;
  std::string message{};
  std::uint64_t events = 0;
  std::uint64_t choices = 0;
  std::uint64_t journal_bytes = 0;  // uncompressed; the writer fills it in
  friend bool operator==(const TraceEnding&, const TraceEnding&) = default;
};

std::string_view ending_name(TraceEnding::Kind kind);                      // "exited", ...
std::optional<TraceEnding::Kind> ending_from_name(std::string_view name);  // not "unfinished": nobody writes it
std::string describe_ending(const TraceEnding& ending);  // "exited with 0", "killed by SIGSEGV", "deadlock", ...

// What `pack` copied: the file that was at `path` is now at `copy`, relative to the trace.
struct PackedFile {
  std::string path{};
  std::string copy{};
  std::uint64_t checksum = 0;  // xxh64
  friend bool operator==(const PackedFile&, const PackedFile&) = default;
};

}  // namespace xbdbg
