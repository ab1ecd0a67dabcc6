// tracer/symbols/memory_mapping.h — one mapping of a process, as ModuleMap needs it. tracer/memory_map.h parses them
// from /proc/PID/maps.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace xbdbg
