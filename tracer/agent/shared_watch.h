// tracer/agent/shared_watch.h — memory that a child process can write, too.
//
// A forked child keeps the shared mappings of its parent, and a mapped file can be written. Recording, what it writes
// there is looked for at every place where the outside is taken in (each system call and each operation), and goes
// into the journal; replaying, it is put there at the same place. What the program reads in between could differ:
// then the replay diverges, and says so.
#pragma once

#include <cstdint>

#include "tracer/agent/maps.h"

namespace xbdbg::agent {

class SharedWatch {
 public:
  void begin();  // before a fork: watch what is mapped shared and writable by now
  // A file was mapped shared, to be written: who writes to the file writes to this memory. Not watched if it is
  // large.
  void file_mapped(std::uint64_t begin, std::uint64_t size);
  [[gnu::always_inline]] void look() {
    if (__builtin_expect(on_, 0)) look_now();
  }
  void forget(std::uint64_t begin, std::uint64_t end);  // it is unmapped, or something else is mapped there

 private:
  struct Range {
    std::uint64_t begin, size, mirror;  // as it was when we last looked: at this offset of the mirror
    bool file;                          // a file that ends, or gets shorter, takes its memory away
  };
  static constexpr std::uint32_t kMaxRanges = 64;
  static constexpr std::uint64_t kMaxBytes = 16u << 20;

  void look_now();
  void look_at(const Range&);
  bool watch(std::uint64_t begin, std::uint64_t size, bool file);
  static constexpr std::uint64_t kMaxFile = 64u << 10;

  bool on_;
  std::uint64_t place_;  // number of this look
  Range ranges_[kMaxRanges];
  std::uint32_t count_;
  std::uint64_t used_;  // of the mirror
};

}  // namespace xbdbg::agent
