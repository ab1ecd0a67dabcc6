// replay/trace_writer.h — writes a trace while its program runs.
//
//   XB_TRY(TraceWriter trace, TraceWriter::create("dir", info));   // makes dir.incomplete
//   XB_CHECK(trace.append(journal_bytes));                          // as they come; records may be cut anywhere
//   XB_CHECK(trace.flush());                                        // every 250 ms: survives a kill -9 of us
//   XB_TRY(std::uint32_t number, trace.keep_file(fd, "/tmp/x", KeepFile::copy));
//   XB_CHECK(trace.finish(ending));                                 // renames it to dir
//
// A writer that is dropped before finish() leaves dir.incomplete, which can be read with allow_incomplete. It holds
// a lock on the journal file as long as it lives, by which others see that the trace is being recorded. Not for two
// threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "replay/trace.h"
#include "tracer/base/result.h"
#include "tracer/start_image.h"
#include "tracer/symbols/memory_mapping.h"

namespace xbdbg {

enum class KeepFile : std::uint8_t {
  reference,  // a module: path, size, time and build-id are enough to find it again (a copy if it has no path)
  copy,       // the content may change: a reflink where the file system can, else its bytes
};

class TraceWriter {
 public:
  // Errc::refused when DIR or DIR.incomplete exists.
  static Result<TraceWriter> create(const std::string& dir, const TraceInfo& info);
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter();

  Result<> append(std::span<const std::byte> journal);
  Result<> flush();

  // The number of the file in the trace. A file that is as it was when it was last kept gets the same number. `fd`
  // must be readable, and is not moved; `path` is the name the program's machine has for it ("" if it has none: a
  // memfd, a deleted file).
  Result<std::uint32_t> keep_file(int fd, const std::string& path, KeepFile how);
  Result<std::uint32_t> keep_file(const std::string& path, KeepFile how);

  // Keeps the modules among these mappings of the target (parse_memory_map) by reference, and where they are.
  // `image` is JournalStart::image. Mappings that cannot be kept (the agent's memory, deleted files) are left out.
  Result<> add_modules(const std::vector<MemoryMapping>& mappings, std::uint32_t image);

  // How the program began, and after an exec the next one: in this order (JournalStart::image counts them).
  Result<> add_start(const StartImage& start);

  // Writes the rest and the ending, and gives the directory its name.
  Result<> finish(const TraceEnding& ending);

  const std::string& directory() const;        // as it is called now: DIR.incomplete, and DIR after finish()
  const std::vector<KeptFile>& files() const;  // kept so far
  std::uint64_t journal_bytes() const;         // appended so far

 private:
  struct Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbdbg
