// tracer/base/rng.h — randomness that is the same on every machine for the same seed.
//
// SplitMix64 (Steele, Lea, Flood 2014). Not for secrets. Code that needs random choices takes an Rng&; nothing below
// main draws a seed by itself. The sequence is part of the behaviour users rely on (`--seed N`): do not change it.
#pragma once

#include <cstdint>

#include "tracer/base/assert.h"

namespace xbdbg {

class Rng {
 public:
  constexpr explicit Rng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), bound > 0: values in the last, incomplete stretch of the range are drawn again.
  constexpr std::uint64_t below(std::uint64_t bound) {
    XB_ASSERT(bound > 0);
    const std::uint64_t excess = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t value = next();
    while (value < excess) value = next();
    return value % bound;
  }

 private:
  std::uint64_t state_;
};

}  // namespace xbdbg
