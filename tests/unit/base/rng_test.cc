#include "tracer/base/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace xbdbg {
namespace {

TEST(Rng, GivesThePublishedSequence) {
  // The reference implementation's first outputs for seed 1234567.
  Rng rng(1234567);
  EXPECT_EQ(rng.next(), 6457827717110365317u);
  EXPECT_EQ(rng.next(), 3203168211198807973u);
  EXPECT_EQ(rng.next(), 9817491932198370423u);
}

TEST(Rng, StaysBelowTheBoundAndReachesEveryValue) {
  Rng rng(7);
  std::array<int, 6> seen{};
  for (int i = 0; i < 6000; ++i) ++seen.at(rng.below(6));
  for (int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(RngDeathTest, RefusesAnEmptyRange) { EXPECT_DEATH(Rng(1).below(0), "xbdbg: internal error"); }

}  // namespace
}  // namespace xbdbg
