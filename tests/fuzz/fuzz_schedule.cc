// libs: xb_replay
//
// Whatever the bytes are, the parser gives an error or a schedule that prints and parses to itself.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "replay/schedule_file.h"
#include "tracer/base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto schedule = xbdbg::parse_schedule(text, "fuzz");
  if (!schedule) return 0;
  const std::string printed = xbdbg::print_schedule(*schedule);
  const auto again = xbdbg::parse_schedule(printed, "printed");
  XB_ASSERT(again);
  XB_ASSERT(xbdbg::print_schedule(*again) == printed);
  return 0;
}
