// explorer/core/oracle.h — choosing without a tree: the first, a random one, by PCT priorities, or in a sweep.
//
// An oracle looks at the roster of one execution and names the thread to run; it remembers nothing from one execution
// to the next but its seed and the length of what it has seen. Under an oracle threads block for real, as they would
// without any search, so a deadlock is met and not predicted.
//
// A *sweep* stops every thread after its n-th block until all threads behind it in the order are through: in one
// schedule each thread is interrupted at the same gap by every other thread that comes later. Two sweeps (forth and
// back) try one gap for all pairs of threads, where enumeration needs a schedule per pair.
#pragma once

#include <cstdint>

#include "explorer/core/roster.h"
#include "explorer/core/threads.h"

namespace xbdbg::explore {

enum class OracleKind : std::uint8_t { first, random, pct, sweep };

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e37'79b9'7f4a'7c15);
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>((next() >> 32) * limit >> 32); }

 private:
  std::uint64_t state_;
};

class Oracle {
 public:
  static constexpr std::uint32_t kMaxDepth = 16;

  void begin_first() { kind_ = OracleKind::first; }
  void begin_random(std::uint64_t seed, std::uint64_t execution);
  void begin_pct(std::uint64_t seed, std::uint64_t execution, std::uint32_t depth, std::uint32_t steps);
  void begin_sweep(std::uint32_t gap, bool backwards);

  // The roster's entry to run, kNone when none can. Timed waits expire when nothing else can run (or by chance).
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t choose(Roster& roster, ThreadTable& threads, std::uint64_t step, std::uint32_t previous,
                       std::uint32_t preemptions_left);
  std::uint32_t waiter(std::uint32_t count) { return kind_ == OracleKind::first ? 0 : random_.below(count); }
  void yielded(Thread& thread) { thread.priority = 1; }

 private:
  std::uint32_t choose_pct(Roster& roster, ThreadTable& threads, std::uint64_t step, std::uint32_t previous);
  std::uint32_t choose_sweep(Roster& roster, ThreadTable& threads) const;

  OracleKind kind_ = OracleKind::first;
  Random random_{0};
  std::uint32_t depth_ = 0;
  std::uint64_t change_[kMaxDepth] = {};
  std::uint32_t gap_ = 0;
  bool backwards_ = false;
};

}  // namespace xbdbg::explore
