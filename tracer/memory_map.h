// tracer/memory_map.h — /proc/PID/maps as values. A pure parser: the caller reads the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"

namespace xbdbg {

struct MemoryMapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;     // exclusive
  std::uint64_t offset = 0;  // in the file
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t inode = 0;
  std::string path{};       // "/usr/bin/x", "[stack]", or empty; newlines in it are unescaped
  bool is_deleted = false;  // the file was removed; " (deleted)" is not part of path
};

// Every line must be well-formed and the mappings in ascending order, as the kernel writes them.
Result<std::vector<MemoryMapping>> parse_memory_map(std::string_view text);

// The mapping that holds an address, or null. The mappings are sorted.
const MemoryMapping* find_mapping(const std::vector<MemoryMapping>& mappings, std::uint64_t address);

}  // namespace xbdbg
