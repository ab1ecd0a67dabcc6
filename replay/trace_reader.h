// replay/trace_reader.h — reads a trace, as hostile input.
//
//   XB_TRY(Trace trace, Trace::open(dir, {.allow_incomplete = true}));
//   XB_TRY(std::vector<std::byte> journal, trace.read_journal());
//   JournalCursor cursor(journal);                                   // journal_reader.h
//
// Whatever is in the directory, the answer is a value or an Error that names the file, the offset and the field; what
// is allocated is bounded by TraceLimits. open() reads the metadata and walks over the chunks' headers, so that it is
// quick for large traces; read_journal() checks and decompresses everything.
//
// With allow_incomplete, what was cut off or is damaged at the end is left out: the journal is read up to the last
// whole chunk, ending() is `unfinished`, and damage() says what was found there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "replay/trace.h"
#include "tracer/base/result.h"
#include "tracer/start_image.h"

namespace xbdbg {

struct TraceOpenOptions {
  bool allow_incomplete = false;
  TraceLimits limits{};
};

class Trace {
 public:
  // `dir` is the directory as it is named on disk. One that is called DIR.incomplete, or has no ending, is refused
  // without allow_incomplete (Errc::refused).
  static Result<Trace> open(const std::string& dir, const TraceOpenOptions& options = {});

  const std::string& directory() const { return directory_; }
  const TraceInfo& info() const { return info_; }
  const TraceEnding& ending() const { return ending_; }
  const std::vector<KeptFile>& files() const { return files_; }
  const std::vector<KeptMapping>& mappings() const { return mappings_; }
  const std::vector<StartImage>& starts() const { return starts_; }  // by JournalStart::image
  const std::vector<PackedFile>& packed() const { return packed_; }  // empty: it was never packed
  bool complete() const { return ending_.kind != TraceEnding::Kind::unfinished; }
  const std::string& damage() const { return damage_; }     // allow_incomplete: why the journal ends where it does
  std::uint64_t disk_bytes() const { return disk_bytes_; }  // of the journal file

  // Uncompressed, as the chunks' headers say; without a record that was cut off it may turn out shorter.
  std::uint64_t journal_bytes() const { return journal_bytes_; }

  // The whole journal: every record checked (journal_reader.h), one that was cut off at the end left out (the program
  // may have been killed while it wrote it).
  Result<std::vector<std::byte>> read_journal() const;
  // The same, into memory of at least journal_bytes() bytes (the arena's). Returns how many there are.
  Result<std::uint64_t> read_journal(std::span<std::byte> into) const;

  // The path of something in the trace: absolute_path("files/0").
  std::string path_of(const std::string& relative) const { return directory_ + "/" + relative; }

 private:
  struct Chunk {
    std::uint64_t offset;  // of its header in the journal file
    std::uint32_t compressed, uncompressed;
    std::uint64_t checksum;
  };
  friend class TraceLoader;
  Result<> read_chunk(const class ChunkFile& file, const Chunk& chunk, std::span<std::byte> out) const;
  Result<std::uint64_t> check_records(std::span<const std::byte> journal) const;  // how many bytes are whole records

  std::string directory_{};
  TraceOpenOptions options_{};
  TraceInfo info_{};
  TraceEnding ending_{};
  std::vector<KeptFile> files_{};
  std::vector<KeptMapping> mappings_{};
  std::vector<StartImage> starts_{};
  std::vector<PackedFile> packed_{};
  std::string damage_{};
  std::vector<Chunk> chunks_{};  // those that hold the journal
  std::uint64_t journal_bytes_ = 0;
  std::uint64_t disk_bytes_ = 0;
};

// Has the directory what every trace has, damaged or not? (What `remove` wants to know.)
bool looks_like_trace(const std::string& dir);

}  // namespace xbdbg
