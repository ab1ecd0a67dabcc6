#include "replay/chunk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <xxhash.h>
#include <zstd.h>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/replay/sample_trace.h"
#include "tracer/base/bytes.h"

namespace xbdbg::test {
namespace {

std::string encode(std::string_view content, std::uint64_t sequence = 0) {
  auto chunk = ChunkEncoder().encode(ChunkKind::journal, sequence, content);
  EXPECT_OK(chunk);
  return chunk ? *chunk : "";
}

// A chunk whose header says what we want, with correct checksums.
std::string forged(std::uint32_t uncompressed, std::string_view frame) {
  ByteWriter out;
  out.u32(0x4b434258);
  out.u16(kTraceVersion);
  out.u16(1);
  out.u64(0);
  out.u32(static_cast<std::uint32_t>(frame.size()));
  out.u32(uncompressed);
  out.u64(XXH64(frame.data(), frame.size(), 0));
  out.u64(XXH64(out.bytes().data(), out.bytes().size(), 0));
  out.raw(frame);
  return std::move(out).take();
}

std::string compressed(const std::string& content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 1));
  return out;
}

Result<std::string> decode(const std::string& bytes) {
  const TempDir dir;
  XB_TRY(UniqueFd fd, open_file(dir.file("journal", bytes), O_RDONLY));
  const ChunkFile file(std::move(fd), bytes.size(), "journal", {});
  XB_TRY(const std::optional<ChunkHeader> header, file.header_at(0, 0));
  if (!header) return std::string("end");
  std::string out(header->uncompressed, '\0');
  XB_CHECK(file.read(*header, 0, std::as_writable_bytes(std::span(out))));
  return out;
}

TEST(Chunk, GivesBackWhatWasPutIn) {
  const std::string content(TraceLimits{}.chunk_bytes, 'x');
  ASSERT_OK(decoded, decode(encode(content)));
  EXPECT_EQ(decoded, content);
  EXPECT_LT(encode(content).size(), 1000u);
}

TEST(Chunk, ForgedSizesAreRefused) {
  const std::string content(1000, 'x');
  ASSERT_OK(good, decode(forged(1000, compressed(content))));
  EXPECT_EQ(good, content);
  EXPECT_ERROR(decode(forged(999, compressed(content))), Errc::bad_input, "frame at offset 40");
  EXPECT_ERROR(decode(forged(1001, compressed(content))), Errc::bad_input, "uncompressed size at offset 20");
  EXPECT_ERROR(decode(forged(0, compressed(content))), Errc::bad_input, "uncompressed size at offset 20");
  EXPECT_ERROR(decode(forged((1u << 20) + 1, compressed(content))), Errc::bad_input, "chunk_bytes");
  EXPECT_ERROR(decode(forged(1, std::string(100'000, 'x'))), Errc::bad_input, "compressed size at offset 16");
  EXPECT_ERROR(decode(forged(10, "no zstd frame")), Errc::bad_input, "frame at offset 40");
}

TEST(Chunk, AnotherVersionOrPlaceInTheFileIsRefused) {
  EXPECT_ERROR(decode(encode("x", 1)), Errc::bad_input, "sequence number at offset 8: chunk 1 where 0 should be");
  std::string other = encode("x");
  other[4] = 9;
  EXPECT_ERROR(decode(other), Errc::bad_input, "journal: version at offset 4: version 9, this xbdbg reads version 1");
  EXPECT_ERROR(decode("not a chunk at all, but long enough to be one"), Errc::bad_input, "magic at offset 0");
}

}  // namespace
}  // namespace xbdbg::test
