// explorer/core/frontier.h — the branches that `auto` has not walked yet, the most promising first.
//
// Ordered by the preemptions of their paths, then by how often they leave the default order, then by whether the
// choice they make brings two blocks closer that use the same object. A level of few preemptions can be huge (a
// hundred threads end in a hundred factorial orders without any preemption), so every second branch comes from the
// next level, every fourth from the one after, and so on: no level waits for another to end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explorer/core/arena.h"

namespace xbdbg::explore {

class Frontier {
 public:
  static constexpr std::uint32_t kLevels = 8;  // more preemptions or deviations than this share the last queue

  explicit Frontier(Arena& arena) : arena_(arena) {}

  // Room for a branch of `bytes` at the end of its queue; nullptr: no memory.
  std::uint8_t* push(std::uint32_t preemptions, std::uint32_t deviations, bool conflict, std::size_t bytes);

  struct Taken {
    const std::uint8_t* bytes = nullptr;  // valid until the next call
    std::size_t size = 0;
  };
  Taken pop();

  bool empty() const { return count_ == 0; }
  std::uint64_t size() const { return count_; }
  std::uint32_t lowest_level() const;  // of the preemptions of all that is left
  void clear();

 private:
  struct Record {
    Record* next;
    std::size_t size;      // of the branch behind this header
    std::size_t capacity;  // of the whole piece
  };
  struct Queue {
    Record* first = nullptr;
    Record* last = nullptr;
  };

  Queue* promising(std::uint32_t level);
  void recycle();

  Arena& arena_;
  Queue queues_[kLevels][kLevels][2];
  std::uint64_t per_level_[kLevels] = {};
  Record* taken_ = nullptr;
  std::uint64_t count_ = 0;
  std::uint64_t turn_ = 0;
};

}  // namespace xbdbg::explore
