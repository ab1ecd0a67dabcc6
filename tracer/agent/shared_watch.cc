#include "tracer/agent/shared_watch.h"

#include <string.h>

#include "tracer/agent/places.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

static char* mirror_at(std::uint64_t offset) { return reinterpret_cast<char*>(kMirrorAt + offset); }

void SharedWatch::watch(const Mapping& m) {
  std::uint64_t size = m.end - m.begin;
  for (std::uint32_t i = 0; i < count_; i++)
    if (ranges_[i].begin == m.begin && ranges_[i].size == size) return;
  if (count_ == kMaxRanges || used_ + size > kMaxBytes)
    fail("the program forks while it has shared memory (%s, %d bytes): too much to see what the child writes there",
         m.name[0] ? m.name : "anonymous", size);
  if (used_ == 0 && !map_at(kMirrorAt, kMaxBytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE))
    fail("no memory to watch what the program shares with its children");
  ranges_[count_++] = {m.begin, size, used_};
  memcpy(mirror_at(used_), reinterpret_cast<void*>(m.begin), size);
  used_ += size;
}

void SharedWatch::begin() {
  if (!rt.journal.active()) return;
  auto find = [&] {
    find_mapping([&](const Mapping& m) {
      bool shared = m.permissions[0] == 'r' && m.permissions[1] == 'w' && m.permissions[3] == 's';
      if (shared && !is_agents_memory(m.begin)) watch(m);
      return false;
    });
    return std::uint64_t{count_ > 0};
  };
  on_ = observed(find) != 0;
}

void SharedWatch::forget(std::uint64_t begin, std::uint64_t end) {
  for (std::uint32_t i = 0; i < count_;)
    if (ranges_[i].begin < end && begin < ranges_[i].begin + ranges_[i].size)
      ranges_[i] = ranges_[--count_];
    else
      i++;
}

// Runs of blocks that changed, by whomever: the program's own writes happen in the replay, too, and do no harm.
void SharedWatch::look_at(const Range& r) {
  constexpr std::uint64_t kBlock = 64;
  auto* now = reinterpret_cast<char*>(r.begin);
  char* before = mirror_at(r.mirror);
  if (memcmp(now, before, r.size) == 0) return;
  for (std::uint64_t at = 0; at < r.size;) {
    std::uint64_t end = at;
    while (end < r.size && memcmp(now + end, before + end, kBlock) != 0) end += kBlock;
    if (end > at) {
      memcpy(before + at, now + at, end - at);
      rt.journal.outside_write(rt.signals.point(), now + at, before + at, end - at);
    }
    at = end + kBlock;
  }
}

void SharedWatch::look_now() {
  if (rt.journal.replaying()) {
    rt.journal.take_outside_writes(rt.signals.point());
    return;
  }
  for (std::uint32_t i = 0; i < count_; i++) look_at(ranges_[i]);
}

}  // namespace xbdbg::agent
