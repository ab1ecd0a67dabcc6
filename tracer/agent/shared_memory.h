// tracer/agent/shared_memory.h — is an address in memory that another process may share?
#pragma once

#include <cstdint>

namespace xbdbg::agent {

// Reads /proc/self/maps: slow, for the rare places where a wait could be ended by another process.
bool is_shared_memory(std::uint64_t address);

}  // namespace xbdbg::agent
