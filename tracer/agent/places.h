// tracer/agent/places.h — where the agent's own memory is mapped.
//
// At fixed addresses, far from where the kernel places mappings of its own choice: the arena has another size when
// recording than when replaying, and the program's addresses must not depend on that. Sanitizers have their shadow
// below 0x1100'0000'0000 and their heap from 0x6000'0000'0000 to 0x6400'0000'0000.
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "tracer/agent/gate.h"

namespace xbdbg::agent {

inline constexpr std::uint64_t kThreadTableAt = 0x6a00'0000'0000;
inline constexpr std::uint64_t kExecScratchAt = 0x6a10'0000'0000;
inline constexpr std::uint64_t kMirrorAt = 0x6a20'0000'0000;
inline constexpr std::uint64_t kArenaAt = 0x6a80'0000'0000;  // the last: it may be many gigabytes

inline bool is_agents_memory(std::uint64_t address) {
  return address >= kThreadTableAt && address < 0x7000'0000'0000;
}

// nullptr: not possible.
inline void* map_at(std::uint64_t place, std::uint64_t bytes, int flags, int fd = -1) {
  long p = sys(SYS_mmap, place, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, fd, 0);
  return static_cast<std::uint64_t>(p) == place ? reinterpret_cast<void*>(p) : nullptr;
}

}  // namespace xbdbg::agent
