// tracer/agent/state_hash.h — one number for what the program's memory holds: globals, heap, and the live part of
// every thread's stack. A replay must end with the same number as its recording.
#pragma once

#include <cstdint>

namespace xbdbg::agent {

std::uint64_t hash_bytes(const void*, std::uint64_t size, std::uint64_t seed);
std::uint64_t hash_of_state();

// What the agent leaves on a stack becomes the uninitialised variables of the program's next functions, and it is not
// the same when recording as when replaying: before returning to the program it is wiped.
void wipe_stack_below();

}  // namespace xbdbg::agent
