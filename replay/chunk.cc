#include "replay/chunk.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include "tracer/base/bytes.h"

namespace xbdbg {

namespace {

constexpr std::uint32_t kMagic = 0x4b43'4258;  // "XBCK"
constexpr std::size_t kHashedHeaderBytes = 32;
constexpr int kLevel = -2;  // recording must keep up with the program

std::uint64_t hash(std::string_view bytes) { return XXH64(bytes.data(), bytes.size(), 0); }

Error chunk_error(std::string_view name, std::string_view field, std::uint64_t offset, std::string_view problem) {
  return Error{Errc::bad_input, fmt::format("{}: {} at offset {}: {}", name, field, offset, problem),
               "the trace is damaged or was cut off; --allow-incomplete reads what comes before"};
}

}  // namespace

struct ChunkEncoder::Context {
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> zstd{ZSTD_createCCtx()};
};

ChunkEncoder::ChunkEncoder() : context_(std::make_unique<Context>()) {}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

Result<std::string> ChunkEncoder::encode(ChunkKind kind, std::uint64_t sequence, std::string_view content) {
  XB_ASSERT(content.size() <= TraceLimits{}.chunk_bytes);
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size =
      ZSTD_compressCCtx(context_->zstd.get(), frame.data(), frame.size(), content.data(), content.size(), kLevel);
  if (ZSTD_isError(size) != 0) return Error{Errc::os, fmt::format("compress the trace: {}", ZSTD_getErrorName(size))};
  frame.resize(size);
  ByteWriter out;
  out.u32(kMagic);
  out.u16(kTraceVersion);
  out.u16(static_cast<std::uint16_t>(kind));
  out.u64(sequence);
  out.u32(static_cast<std::uint32_t>(size));
  out.u32(static_cast<std::uint32_t>(content.size()));
  out.u64(hash(frame));
  out.u64(hash(out.bytes()));
  out.raw(frame);
  return std::move(out).take();
}

Result<ChunkHeader> parse_chunk_header(std::string_view bytes, std::uint64_t sequence, std::uint64_t offset,
                                       std::string_view name, const TraceLimits& limits) {
  ByteReader in(bytes, name);
  auto bad = [&](std::string_view field, std::uint64_t at, const std::string& problem) {
    return chunk_error(name, field, offset + at, problem);
  };
  XB_TRY(const std::uint32_t magic, in.u32("magic"));
  if (magic != kMagic) return bad("magic", 0, "there is no chunk here");
  XB_TRY(const std::uint16_t version, in.u16("version"));
  if (version != kTraceVersion) {
    return bad("version", 4, fmt::format("version {}, this xbdbg reads version {}", version, kTraceVersion));
  }
  ChunkHeader header;
  XB_TRY(const std::uint16_t kind, in.u16("kind"));
  XB_TRY(header.sequence, in.u64("sequence number"));
  XB_TRY(header.compressed, in.u32("compressed size"));
  XB_TRY(header.uncompressed, in.u32("uncompressed size"));
  XB_TRY(header.checksum, in.u64("checksum"));
  XB_TRY(const std::uint64_t header_checksum, in.u64("header checksum"));
  if (header_checksum != hash(bytes.substr(0, kHashedHeaderBytes))) {
    return bad("header checksum", 32, "the chunk's header is damaged");
  }
  if (kind < 1 || kind > static_cast<std::uint16_t>(ChunkKind::ending)) {
    return bad("kind", 6, fmt::format("unknown kind {}", kind));
  }
  header.kind = static_cast<ChunkKind>(kind);
  if (header.sequence != sequence) {
    return bad("sequence number", 8, fmt::format("chunk {} where {} should be", header.sequence, sequence));
  }
  if (header.uncompressed == 0 || header.uncompressed > limits.chunk_bytes) {
    return bad("uncompressed size", 20,
               fmt::format("{} bytes, the limit chunk_bytes is {}", header.uncompressed, limits.chunk_bytes));
  }
  if (header.compressed > ZSTD_compressBound(header.uncompressed)) {
    return bad("compressed size", 16,
               fmt::format("{} bytes, more than {} bytes can need", header.compressed, header.uncompressed));
  }
  return header;
}

Error ChunkFile::bad(std::string_view field, std::uint64_t offset, std::string_view problem) const {
  return chunk_error(name_, field, offset, problem);
}

Result<std::string> ChunkFile::bytes_at(std::uint64_t offset, std::size_t count, std::string_view field) const {
  if (offset > bytes_ || count > bytes_ - offset) {
    return bad(field, offset, fmt::format("needs {} bytes, {} are left", count, bytes_ - std::min(offset, bytes_)));
  }
  std::string out(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(fd_.get(), out.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error("read " + name_);
    if (got == 0) return bad(field, offset, "the file became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
  return out;
}

Result<std::optional<ChunkHeader>> ChunkFile::header_at(std::uint64_t offset, std::uint64_t sequence) const {
  if (offset == bytes_) return std::optional<ChunkHeader>{};
  XB_TRY(const std::string bytes, bytes_at(offset, kChunkHeaderBytes, "chunk header"));
  XB_TRY(const ChunkHeader header, parse_chunk_header(bytes, sequence, offset, name_, limits_));
  const std::uint64_t left = bytes_ - offset - kChunkHeaderBytes;
  if (header.compressed > left) {
    return bad("compressed size", offset + 16, fmt::format("{} bytes, {} are left", header.compressed, left));
  }
  return std::optional(header);
}

Result<std::string> ChunkFile::frame(const ChunkHeader& header, std::uint64_t offset) const {
  XB_TRY(std::string frame, bytes_at(offset + kChunkHeaderBytes, header.compressed, "frame"));
  if (hash(frame) != header.checksum) return bad("checksum", offset + 24, "the content is damaged");
  return frame;
}

Result<> ChunkFile::check_frame(const ChunkHeader& header, std::uint64_t offset) const {
  XB_CHECK(frame(header, offset));
  return Ok{};
}

Result<> ChunkFile::read(const ChunkHeader& header, std::uint64_t offset, std::span<std::byte> out) const {
  XB_ASSERT(out.size() == header.uncompressed);
  XB_TRY(const std::string frame, this->frame(header, offset));
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) return bad("frame", offset + kChunkHeaderBytes, ZSTD_getErrorName(size));
  if (size != out.size()) {
    return bad("uncompressed size", offset + 20, fmt::format("{} bytes announced, {} found", out.size(), size));
  }
  return Ok{};
}

}  // namespace xbdbg
