#include "tracer/agent/ring.h"

#include <linux/futex.h>
#include <string.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

void ring_put(std::uint64_t position, const void* from, std::uint64_t bytes) {
  std::uint64_t size = rt.arena->config.stream_bytes, at = position & (size - 1);
  std::uint64_t first = bytes < size - at ? bytes : size - at;
  memcpy(rt.arena->stream() + at, from, first);
  if (first < bytes) memcpy(rt.arena->stream(), static_cast<const char*>(from) + first, bytes - first);
}

void ring_bell() {
  Arena& a = *rt.arena;
  a.doorbell.fetch_add(1, std::memory_order_seq_cst);
  if (a.reader_waits.load(std::memory_order_seq_cst) != 0) sys(SYS_futex, &a.doorbell, FUTEX_WAKE, 1);
}

static void wait_for_tail(std::uint64_t least) {
  Arena& a = *rt.arena;
  for (;;) {
    std::uint32_t seen = a.tail_futex.load(std::memory_order_acquire);
    if (a.tail.load(std::memory_order_acquire) >= least) return;
    ring_bell();
    sys(SYS_futex, &a.tail_futex, FUTEX_WAIT, seen, 0);
  }
}

void ring_wait_until_read(std::uint64_t end) { wait_for_tail(end); }

std::uint64_t ring_reserve(std::uint64_t bytes) {
  std::uint64_t head = rt.arena->head.load(std::memory_order_relaxed), size = rt.arena->config.stream_bytes;
  if (head + bytes > size) wait_for_tail(head + bytes - size);
  return head;
}

// The reader is woken when a good part of the ring is full; until then it looks by itself a few times a second.
void ring_publish(std::uint64_t end) {
  Arena& a = *rt.arena;
  std::uint64_t before = a.head.load(std::memory_order_relaxed), quarter = a.config.stream_bytes / 4;
  a.head.store(end, std::memory_order_release);
  if (before / quarter != end / quarter) ring_bell();
}

}  // namespace xbdbg::agent
