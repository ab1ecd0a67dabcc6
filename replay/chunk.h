// replay/chunk.h — the pieces of a trace's journal file: compressed, checksummed, numbered, bounded.
//
// A chunk is a header of 40 bytes, little endian, and a zstd frame:
//
//   offset  bytes
//        0      4  magic "XBCK"
//        4      2  version of the format (kTraceVersion)
//        6      2  kind (ChunkKind)
//        8      8  sequence number: 0, 1, 2, ...
//       16      4  compressed size: bytes of the frame that follows
//       20      4  uncompressed size
//       24      8  xxh64 of the frame
//       32      8  xxh64 of the 32 bytes above
//
// The codec is pure; ChunkFile reads chunks from a descriptor. Everything read is hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "replay/trace.h"
#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg {

inline constexpr std::size_t kChunkHeaderBytes = 40;

enum class ChunkKind : std::uint16_t {
  journal = 1,  // bytes of the journal; a record may go on in the next chunk of this kind
  file,         // a KeptFile, as JSON (trace_meta.h)
  mapping,      // a KeptMapping
  start_part,   // a piece of a StartImage (encode_start) that goes on in the next chunk
  start,        // the last piece of it
  ending,       // a TraceEnding; nothing comes after it
};

struct ChunkHeader {
  ChunkKind kind = ChunkKind::journal;
  std::uint64_t sequence = 0;
  std::uint32_t compressed = 0;
  std::uint32_t uncompressed = 0;
  std::uint64_t checksum = 0;
};

// Makes whole chunks; keeps the compressor's memory from one to the next.
class ChunkEncoder {
 public:
  ChunkEncoder();
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

  // At most TraceLimits::chunk_bytes of content.
  Result<std::string> encode(ChunkKind kind, std::uint64_t sequence, std::string_view content);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// `bytes` is the header alone; `offset` is where it is in the file `name`, for errors.
Result<ChunkHeader> parse_chunk_header(std::string_view bytes, std::uint64_t sequence, std::uint64_t offset,
                                       std::string_view name, const TraceLimits& limits = {});

class ChunkFile {
 public:
  ChunkFile(UniqueFd fd, std::uint64_t bytes, std::string name, const TraceLimits& limits)
      : fd_(std::move(fd)), bytes_(bytes), name_(std::move(name)), limits_(limits) {}

  // The header at `offset`, whose frame is known to lie within the file; nullopt at the end of the file.
  Result<std::optional<ChunkHeader>> header_at(std::uint64_t offset, std::uint64_t sequence) const;
  Result<> check_frame(const ChunkHeader& header, std::uint64_t offset) const;  // its checksum
  // Checks and decompresses the chunk whose header is at `offset` into `out`, of header.uncompressed bytes.
  Result<> read(const ChunkHeader& header, std::uint64_t offset, std::span<std::byte> out) const;

  std::uint64_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  Error bad(std::string_view field, std::uint64_t offset, std::string_view problem) const;

 private:
  Result<std::string> bytes_at(std::uint64_t offset, std::size_t count, std::string_view field) const;
  Result<std::string> frame(const ChunkHeader& header, std::uint64_t offset) const;

  UniqueFd fd_;
  std::uint64_t bytes_;
  std::string name_;
  TraceLimits limits_;
};

}  // namespace xbdbg
