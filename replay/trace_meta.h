// replay/trace_meta.h — the JSON texts of a trace: meta.json, and the entries about files, mappings and the ending in
// its journal file. Pure: text to values and back. What is parsed is hostile (json_fields.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "replay/trace.h"
#include "tracer/base/result.h"

namespace xbdbg {

struct TraceMeta {
  TraceInfo info{};
  std::vector<PackedFile> packed{};
};

// meta.json carries a checksum over its content, so that damage is noticed where it would otherwise just give another
// argument or seed.
std::string print_meta(const TraceMeta& meta);
Result<TraceMeta> parse_meta(std::string_view text, std::string_view name, const TraceLimits& limits = {});

std::string print_kept_file(const KeptFile& file);
Result<KeptFile> parse_kept_file(std::string_view text, std::string_view name, const TraceLimits& limits = {});
std::string print_kept_mapping(const KeptMapping& mapping);
Result<KeptMapping> parse_kept_mapping(std::string_view text, std::string_view name, const TraceLimits& limits = {});
std::string print_ending(const TraceEnding& ending);
Result<TraceEnding> parse_ending(std::string_view text, std::string_view name, const TraceLimits& limits = {});

}  // namespace xbdbg
