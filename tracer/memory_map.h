// tracer/memory_map.h — /proc/PID/maps as values. A pure parser: the caller reads the file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"
#include "tracer/symbols/memory_mapping.h"

namespace xbdbg {

// Every line must be well-formed and the mappings in ascending order, as the kernel writes them.
Result<std::vector<MemoryMapping>> parse_memory_map(std::string_view text);

// The mapping that holds an address, or null. The mappings are sorted.
const MemoryMapping* find_mapping(const std::vector<MemoryMapping>& mappings, std::uint64_t address);

}  // namespace xbdbg
