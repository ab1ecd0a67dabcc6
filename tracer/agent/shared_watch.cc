#include "tracer/agent/shared_watch.h"

#include <string.h>
#include <sys/uio.h>

#include "tracer/agent/places.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

static char* mirror_at(std::uint64_t offset) { return reinterpret_cast<char*>(kMirrorAt + offset); }

// By the kernel, which stops at memory that is not there. Returns how much was; whole pages.
static std::uint64_t read_safely(std::uint64_t from, char* to, std::uint64_t size) {
  iovec local{to, size}, remote{reinterpret_cast<void*>(from), size};
  long n = sys(SYS_process_vm_readv, rt.kernel_pid, &local, 1, &remote, 1, 0);
  return n < 0 ? 0 : static_cast<std::uint64_t>(n) & ~std::uint64_t{4095};
}

bool SharedWatch::watch(std::uint64_t begin, std::uint64_t size, bool file) {
  for (std::uint32_t i = 0; i < count_; i++)
    if (ranges_[i].begin == begin && ranges_[i].size == size) return true;
  if (count_ == kMaxRanges || used_ + size > kMaxBytes) return false;
  if (used_ == 0 && !map_at(kMirrorAt, kMaxBytes + kMaxFile, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE))
    fail("no memory to watch what the program shares with others");
  ranges_[count_++] = {begin, size, used_, file};
  if (file)
    read_safely(begin, mirror_at(used_), size);
  else
    memcpy(mirror_at(used_), reinterpret_cast<void*>(begin), size);
  used_ += size;
  return true;
}

void SharedWatch::file_mapped(std::uint64_t begin, std::uint64_t size) {
  size = (size + 4095) & ~std::uint64_t{4095};
  if (size > kMaxFile) return;
  on_ = true;
  if (rt.journal.recording()) watch(begin, size, true);
}

void SharedWatch::begin() {
  if (!rt.journal.active()) return;
  auto find = [&] {
    find_mapping([&](const Mapping& m) {
      bool shared = m.permissions[0] == 'r' && m.permissions[1] == 'w' && m.permissions[3] == 's';
      if (shared && !is_agents_memory(m.begin) && !watch(m.begin, m.end - m.begin, false))
        fail(
            "the program forks while it has shared memory (%s, %d bytes): too much to see what the child writes "
            "there",
            m.name[0] ? m.name : "anonymous", m.end - m.begin);
      return false;
    });
    return std::uint64_t{count_ > 0};
  };
  if (observed(find) != 0) on_ = true;
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
  std::uint64_t size = r.size;
  if (r.file) {
    now = mirror_at(kMaxBytes);
    size = read_safely(r.begin, now, size);
  }
  if (memcmp(now, before, size) == 0) return;
  for (std::uint64_t at = 0; at < size;) {
    std::uint64_t end = at;
    while (end < size && memcmp(now + end, before + end, kBlock) != 0) end += kBlock;
    if (end > at) {
      memcpy(before + at, now + at, end - at);
      rt.journal.outside_write(place_, reinterpret_cast<void*>(r.begin + at), before + at, end - at);
    }
    at = end + kBlock;
  }
}

void SharedWatch::look_now() {
  place_++;
  if (rt.journal.replaying()) {
    rt.journal.take_outside_writes(place_);
    return;
  }
  for (std::uint32_t i = 0; i < count_; i++) look_at(ranges_[i]);
}

}  // namespace xbdbg::agent
