// tracer/agent/stacks.h — where stacks of threads are or were, and alternate stacks: memory that holds what is left
// of earlier calls, and signal frames of the kernel's making.
#pragma once

#include <cstdint>

namespace xbdbg::agent {

class Stacks {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    for (std::uint32_t i = 0; i < count_; i++)
      if (ranges_[i].begin == begin && ranges_[i].end == end) return;
    ranges_[count_ < kMax ? count_++ : kMax - 1] = {begin, end};
  }
  bool hold(std::uint64_t address) const {
    for (std::uint32_t i = 0; i < count_; i++)
      if (address >= ranges_[i].begin && address < ranges_[i].end) return true;
    return false;
  }

 private:
  struct Range {
    std::uint64_t begin, end;
  };
  static constexpr std::uint32_t kMax = 4096;
  Range ranges_[kMax];
  std::uint32_t count_;
};

}  // namespace xbdbg::agent
