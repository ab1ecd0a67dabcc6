// libs: xb_replay
// The journal file of a trace. An input that begins with 'r' is such a file; any other is a list of chunks (kind,
// size, content) that get correct headers and checksums here, so that what is behind them is reached.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "replay/chunk.h"
#include "replay/start_check.h"
#include "replay/trace_meta.h"
#include "replay/trace_reader.h"
#include "tests/support/temp_dir.h"
#include "tracer/base/bytes.h"

namespace {

std::string forge(std::string_view input) {
  std::string file;
  xbdbg::ChunkEncoder encoder;
  xbdbg::ByteReader in(input, "input");
  for (std::uint64_t sequence = 0; in.remaining() > 0; ++sequence) {
    const auto kind = in.u8("kind");
    const auto size = in.u16("size");
    const auto content = in.raw("content", size ? std::min<std::size_t>(*size, in.remaining()) : 0);
    if (!kind || !size || !content) break;
    const auto chunk = encoder.encode(static_cast<xbdbg::ChunkKind>(*kind), sequence, *content);
    XB_ASSERT(chunk);
    file += *chunk;
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const xbdbg::test::TempDir dir;
  static const std::string meta = [] {
    xbdbg::TraceInfo info;
    info.argv = {"fuzz"};
    return dir.file("meta.json", xbdbg::print_meta({info, {}}));
  }();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool raw = input.starts_with('r');
  std::filesystem::remove(dir / "journal");
  dir.file("journal", raw ? std::string(input.substr(1)) : forge(input));
  for (const bool allow_incomplete : {false, true}) {
    const auto trace = xbdbg::Trace::open(dir.path(), {.allow_incomplete = allow_incomplete});
    if (!trace) continue;
    const auto journal = trace->read_journal();
    XB_ASSERT(!journal || journal->size() <= trace->journal_bytes());
    (void)xbdbg::check_start(*trace);
  }
  return 0;
}
