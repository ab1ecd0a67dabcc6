// tracer/agent/ring.h — writing to the stream's ring (protocol.h). Waits, for real, while the ring is full.
#pragma once

#include <cstdint>

namespace xbdbg::agent {

// For records made of several parts: reserve room, put the parts at their positions, publish the end.
std::uint64_t ring_reserve(std::uint64_t bytes);  // at most the size of the ring; returns the position
void ring_put(std::uint64_t position, const void* from, std::uint64_t bytes);
void ring_publish(std::uint64_t end);

template <class Record>
std::uint64_t ring_append(const Record& r) {  // returns where it ends
  std::uint64_t at = ring_reserve(sizeof r);
  ring_put(at, &r, sizeof r);
  ring_publish(at + sizeof r);
  return at + sizeof r;
}

void ring_wait_until_read(std::uint64_t end);  // until the reader is past this position
void ring_bell();                              // the reader should look now

}  // namespace xbdbg::agent
