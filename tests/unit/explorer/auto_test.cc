// The default strategy: finds bugs of few preemptions early, in programs of many threads too, and knows when to stop.
#include <gtest/gtest.h>

#include "tests/unit/explorer/thesis_programs.h"

namespace xbdbg::explore::model {
namespace {

// The two-lock atomicity bug. Every thread updates a variable under lock 0 and uses it under lock 1; the invariant
// between the two variables holds only outside the gap between the sections. Only `writer` and `reader` are a pair
// that shows it; all others go through the same two locks and touch nothing of it.
Program two_stage(int threads, int writer, int reader) {
  const Code bystander = {lock(0), load(2, 4), unlock(0), lock(1), load(2, 5), unlock(1)};
  std::vector<Code> codes(static_cast<std::size_t>(threads), bystander);
  codes[static_cast<std::size_t>(writer)] = {lock(0), store(0, 0, 1), unlock(0), lock(1), store(1, 0, 1), unlock(1)};
  codes[static_cast<std::size_t>(reader)] = {lock(0), load(0, 0), unlock(0), lock(1), check_equal(1, 0), unlock(1)};
  return with_main(codes);
}

// Schedules until the first failure; 0: none.
std::uint64_t schedules_to_failure(const Program& program, const Options& options) {
  TestArena memory;
  Search search(memory.arena(), options);
  Runner runner(program, search);
  bool failed = false;
  while (!failed && runner.run_one([&](const Path& path) { failed = path.end.failed; })) {
  }
  return failed ? search.result().executions : 0;
}

Options automatic(std::uint64_t budget) {
  Options options;
  options.max_schedules = budget;
  return options;
}

TEST(Auto, FindsTheTwoStageBugOfTwentyThreadsWithinFiftySchedules) {
  for (const auto& [writer, reader] : {std::pair{0, 19}, {19, 0}, {7, 12}, {12, 7}, {3, 4}, {4, 3}}) {
    const std::uint64_t schedules = schedules_to_failure(two_stage(20, writer, reader), automatic(1000));
    EXPECT_GT(schedules, 0u) << writer << ' ' << reader;
    EXPECT_LE(schedules, 50u) << writer << ' ' << reader;
  }
}

TEST(Auto, FindsTheTwoStageBugOfAHundredThreadsWithinFiftySchedules) {
  for (const auto& [writer, reader] : {std::pair{0, 99}, {99, 0}, {50, 51}, {51, 50}, {20, 80}}) {
    const std::uint64_t schedules = schedules_to_failure(two_stage(100, writer, reader), automatic(1000));
    EXPECT_GT(schedules, 0u) << writer << ' ' << reader;
    EXPECT_LE(schedules, 50u) << writer << ' ' << reader;
  }
}

TEST(Auto, WithoutSweepsATwoThreadBugStillComesWithTheFirstPreemptions) {
  EXPECT_LE(schedules_to_failure(two_stage(2, 0, 1), automatic(1000)), 10u);
  EXPECT_LE(schedules_to_failure(split_sync(), automatic(1000)), 10u);
}

TEST(Auto, WalksTheWholeTreeWhenItFitsTheBudget) {
  const Result result = explore(split_sync(), automatic(100'000));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.bounds, 0u);
  EXPECT_EQ(result.paths, 35u);
  EXPECT_EQ(result.failing, 18u);
  EXPECT_EQ(explore(performance(4, 1), automatic(0)).paths, 15'400u);
}

TEST(Auto, ShareReachesOneOnlyWhenComplete) {
  TestArena memory;
  Search search(memory.arena(), Options{});
  const Program program = performance(3, 1);
  Runner runner(program, search);
  double last = 0;
  while (runner.run_one()) {
    EXPECT_GE(search.result().share, last - 1e-9);
    last = search.result().share;
    if (search.result().paths < 280) {
      EXPECT_LT(last, 1.0);
    }
  }
  EXPECT_NEAR(search.result().share, 1.0, 1e-6);
  EXPECT_EQ(search.result().paths, 280u);
}

TEST(Auto, FallsBackToSamplingWhenTheTreeIsOutOfReach) {
  const Result result = explore(performance(12, 3), automatic(2'000));
  EXPECT_FALSE(result.complete);
  EXPECT_NE(result.bounds & kBoundSampling, 0u);
  EXPECT_NE(result.bounds & kBoundSchedules, 0u);
  EXPECT_EQ(result.executions, 2'000u);
  EXPECT_GT(result.probes, 900u);
}

TEST(Auto, FallsBackToSamplingWhenMemoryRunsOut) {
  TestArena memory(std::size_t{3} << 20);
  Search search(memory.arena(), automatic(5'000));
  const Program program = performance(12, 3);
  Runner runner(program, search);
  while (runner.run_one()) {
  }
  EXPECT_EQ(search.result().executions, 5'000u);
  EXPECT_NE(search.result().bounds & kBoundMemory, 0u);
  EXPECT_FALSE(search.result().complete);
}

TEST(Preemptions, BoundAnyTreeAndSayso) {
  for (StrategyKind strategy : {StrategyKind::automatic, StrategyKind::exitblock_dd}) {
    std::uint64_t last = 0;
    for (std::uint32_t bound : {0u, 1u, 2u, 8u}) {
      Options options;
      options.strategy = strategy;
      options.preemptions = bound;
      const Result result = explore(split_sync(), options);
      EXPECT_TRUE(result.complete);
      EXPECT_GT(result.paths, last) << bound;
      EXPECT_EQ((result.bounds & kBoundPreemptions) != 0, bound != 8);
      last = result.paths;
    }
    EXPECT_EQ(last, 35u);
  }
}

TEST(Preemptions, OneIsEnoughForTheSplitIncrement) {
  Options options;
  options.strategy = StrategyKind::exitblock_dd;
  options.preemptions = 0;
  EXPECT_EQ(explore(split_sync(), options).failing, 0u);
  options.preemptions = 1;
  EXPECT_GT(explore(split_sync(), options).failing, 0u);
}

TEST(Sampling, IsRepeatableFromItsSeed) {
  for (StrategyKind strategy : {StrategyKind::random, StrategyKind::pct}) {
    Options options;
    options.strategy = strategy;
    options.max_schedules = 300;
    std::vector<std::vector<std::uint32_t>> runs[3];
    for (int i = 0; i < 3; ++i) {
      options.seed = i == 2 ? 2 : 1;
      const Result result =
          explore(split_sync(), options, [&](const Path& path) { runs[i].push_back(path.schedule); });
      EXPECT_EQ(result.paths, 300u);
      EXPECT_GT(result.failing, 10u);
      EXPECT_FALSE(result.complete);
    }
    EXPECT_EQ(runs[0], runs[1]);
    EXPECT_NE(runs[0], runs[2]);
  }
}

TEST(Sampling, MeetsDeadlocksForReal) {
  Options options;
  options.strategy = StrategyKind::random;
  options.max_schedules = 500;
  bool cycle = false;
  const Result result = explore(deadlock(), options, [&](const Path& path) {
    cycle = cycle || (path.end.cycle != nullptr && path.end.cycle->confirmed && path.end.cycle->count == 2);
  });
  EXPECT_GT(result.deadlocks, 0u);
  EXPECT_TRUE(cycle);
}

}  // namespace
}  // namespace xbdbg::explore::model
