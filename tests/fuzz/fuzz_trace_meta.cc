// libs: xb_replay xb::json xb::xxhash
// meta.json, as it is and with its checksum set right; and the entries about files, mappings and the ending.
#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "replay/trace_meta.h"
#include "tracer/base/assert.h"

namespace {

void try_meta(std::string_view text) {
  const auto meta = xbdbg::parse_meta(text, "fuzz");
  if (!meta) return;
  const auto again = xbdbg::parse_meta(xbdbg::print_meta(*meta), "printed");
  XB_ASSERT(again);
  XB_ASSERT(again->info == meta->info && again->packed == meta->packed);
}

void try_with_right_checksum(std::string_view text) {
  auto whole = nlohmann::json::parse(text, nullptr, false);
  if (whole.is_discarded() || !whole.is_object() || !whole.contains("trace")) return;
  try {
    const std::string content = whole["trace"].dump();
    whole["checksum"] = fmt::format("{:016x}", XXH64(content.data(), content.size(), 0));
    try_meta(whole.dump());
  } catch (const nlohmann::json::exception&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_meta(text);
  try_with_right_checksum(text);
  if (const auto file = xbdbg::parse_kept_file(text, "file")) {
    XB_ASSERT(*xbdbg::parse_kept_file(xbdbg::print_kept_file(*file), "printed") == *file);
  }
  if (const auto mapping = xbdbg::parse_kept_mapping(text, "mapping")) {
    XB_ASSERT(*xbdbg::parse_kept_mapping(xbdbg::print_kept_mapping(*mapping), "printed") == *mapping);
  }
  if (const auto ending = xbdbg::parse_ending(text, "ending")) {
    XB_ASSERT(*xbdbg::parse_ending(xbdbg::print_ending(*ending), "printed") == *ending);
  }
  return 0;
}
