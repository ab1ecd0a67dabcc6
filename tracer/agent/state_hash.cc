#include "tracer/agent/state_hash.h"

#include <fcntl.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tracer/agent/maps.h"
#include "tracer/agent/places.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

std::uint64_t hash_bytes(const void* from, std::uint64_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(from, size, seed);
}

namespace {

constexpr std::uint64_t kPage = 4096;

// Pages that were never written are all zero, and so are some that were: neither counts, so that it does not matter
// which of the two a page is. The kernel knows without touching them (/proc/self/pagemap).
class MemoryHash {
 public:
  MemoryHash()
      : pagemap_(static_cast<int>(sys(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0))) {}
  ~MemoryHash() { sys(SYS_close, pagemap_); }
  MemoryHash(const MemoryHash&) = delete;
  MemoryHash& operator=(const MemoryHash&) = delete;

  void add(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end;) {
      std::uint64_t next = (at & ~(kPage - 1)) + kPage;
      if (next > end) next = end;
      if (present(at)) add_piece(at, next - at);
      at = next;
    }
  }
  void add_but_stacks(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; at += kPage)
      if (!rt.stacks.hold(at)) add(at, at + kPage);
  }
  std::uint64_t value() const { return hash_; }

 private:
  bool present(std::uint64_t address) {
    constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
    std::uint64_t page = address / kPage;
    if (page < first_ || page >= first_ + count_) {
      long n = sys(SYS_pread64, pagemap_, entries_, sizeof entries_, page * sizeof(std::uint64_t));
      if (n <= 0) return true;
      first_ = page;
      count_ = static_cast<std::uint64_t>(n) / sizeof(std::uint64_t);
    }
    return (entries_[page - first_] & kPresentOrSwapped) != 0;
  }
  void add_piece(std::uint64_t address, std::uint64_t size) {
    static const char zeros[kPage] = {};
    const void* from = reinterpret_cast<const void*>(address);
    if (memcmp(from, zeros, size) == 0) return;
    hash_ = hash_bytes(from, size, hash_ ^ address);
  }

  int pagemap_;
  std::uint64_t hash_ = 0, first_ = 0, count_ = 0;
  std::uint64_t entries_[256];
};

bool inside(std::uint64_t address, const Mapping& m) { return address >= m.begin && address < m.end; }

// The agent's own, what the loader measured with the clock, and what the kernel put there.
bool left_out(const Mapping& m) {
  if (m.permissions[0] != 'r' || m.permissions[1] != 'w' || m.permissions[3] != 'p') return true;
  if (strcmp(m.name, "[heap]") == 0) return false;
  bool agents = inside(address(&rt), m) || inside(address(&rt + 1) - 1, m) || is_agents_memory(m.begin);
  return agents || strstr(m.name, "libxbdbg-agent") != nullptr || strstr(m.name, "ld-linux") != nullptr ||
         m.name[0] == '[';
}

}  // namespace

[[gnu::noinline]] void wipe_stack_below() {
  char below[4096];
  memset(below, 0, sizeof below);
  asm volatile("" : : "r"(below) : "memory");
}

std::uint64_t hash_of_state() {
  MemoryHash hash;
  find_mapping([&](const Mapping& m) {
    if (!left_out(m)) hash.add_but_stacks(m.begin, m.end);
    return false;
  });
  rt.threads.find_live([&](Thread& t) {
    std::uint64_t sp = t.view->waiting_sp;
    if (t.blocked() && sp != 0)
      find_mapping([&](const Mapping& m) {
        if (!inside(sp, m)) return false;
        hash.add(sp, m.end);
        return true;
      });
    return false;
  });
  return hash.value();
}

}  // namespace xbdbg::agent
