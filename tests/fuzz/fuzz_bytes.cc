// libs: xb_base
// Whatever the bytes are, reading them ends, and what was read is written back the same.
#include <cstdint>
#include <string_view>

#include "tracer/base/bytes.h"
#include "tracer/base/log.h"
#include "tracer/base/str.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace xbdbg;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  XB_ASSERT(*from_hex(to_hex(bytes)) == bytes);
  (void)quoted(bytes);
  (void)LogFilter::parse(bytes);
  (void)parse_u64(bytes);

  ByteReader in(bytes, "fuzz");
  ByteWriter out;
  while (in.remaining() > 0) {
    const auto number = in.varint("number");
    if (!number) break;
    out.varint(*number);
    const auto text = in.string("text", 64);
    if (!text) break;
    out.string(*text);
  }
  XB_ASSERT(bytes.substr(0, out.bytes().size()) == out.bytes());
  return 0;
}
