// The numbers of the ExitBlock thesis and of its closed formulas, reproduced exactly.
#include <gtest/gtest.h>

#include "tests/unit/explorer/thesis_programs.h"

namespace xbdbg::explore::model {
namespace {

Options with(StrategyKind strategy) {
  Options options;
  options.strategy = strategy;
  options.drive_deadlocks = false;
  options.run_on = RunOn::never;  // what a pruned path would go on to find is not part of the numbers
  return options;
}

struct Expected {
  int threads;
  int locks;
  std::uint64_t paths;
};

class PerformanceRw : public testing::TestWithParam<Expected> {};

TEST_P(PerformanceRw, HasThePathsOfTheThesis) {
  const Result result =
      explore(performance(GetParam().threads, GetParam().locks), with(StrategyKind::exitblock_rwdd));
  EXPECT_EQ(result.paths, GetParam().paths);
  EXPECT_EQ(result.aborted, 0u);
  EXPECT_TRUE(result.complete);
}

INSTANTIATE_TEST_SUITE_P(Tables4, PerformanceRw,
                         testing::Values(Expected{2, 1, 4}, Expected{2, 100, 103}, Expected{2, 1000, 1003},
                                         Expected{3, 3, 31}, Expected{3, 100, 10'507}, Expected{4, 20, 11'155},
                                         Expected{5, 10, 22'621}, Expected{6, 10, 271'453}, Expected{8, 4, 335'923},
                                         Expected{10, 2, 349'525}, Expected{12, 1, 265'720}));

class PerformanceDd : public testing::TestWithParam<Expected> {};

TEST_P(PerformanceDd, HasThePathsOfTheFormula) {
  for (StrategyKind strategy : {StrategyKind::exitblock, StrategyKind::exitblock_dd}) {
    const Result result = explore(performance(GetParam().threads, GetParam().locks), with(strategy));
    EXPECT_EQ(result.paths, GetParam().paths);
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.bounds, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(ClosedForm, PerformanceDd,
                         testing::Values(Expected{2, 1, 10}, Expected{2, 2, 35}, Expected{2, 3, 126},
                                         Expected{3, 1, 280}, Expected{3, 2, 5'775}, Expected{4, 1, 15'400}));

class SectionsOnOneLock : public testing::TestWithParam<Expected> {};

TEST_P(SectionsOnOneLock, HaveOnePathPerOrder) {
  Options options = with(StrategyKind::exitblock_dd);
  options.ends_end_blocks = false;
  const Result result = explore(sections_on_one_lock(GetParam().threads, GetParam().locks), options);
  EXPECT_EQ(result.paths, GetParam().paths);
  EXPECT_EQ(result.executions, GetParam().paths);
}

INSTANTIATE_TEST_SUITE_P(Multinomials, SectionsOnOneLock,
                         testing::Values(Expected{2, 4, 70}, Expected{3, 2, 90}, Expected{2, 6, 924},
                                         Expected{3, 3, 1'680}, Expected{2, 8, 12'870}, Expected{3, 4, 34'650},
                                         Expected{2, 10, 184'756}));

TEST(ThesisPrograms, SplitSync) {
  const Result rw = explore(split_sync(), with(StrategyKind::exitblock_rwdd));
  EXPECT_EQ(rw.paths, 9u);
  EXPECT_EQ(rw.aborted, 0u);
  EXPECT_EQ(rw.failing, 4u);
  EXPECT_EQ(rw.first_failing, 3u);
  const Result dd = explore(split_sync(), with(StrategyKind::exitblock_dd));
  EXPECT_EQ(dd.paths, 35u);
  EXPECT_EQ(dd.aborted, 0u);
  EXPECT_EQ(dd.failing, 18u);
}

TEST(ThesisPrograms, Deadlock) {
  const Result rw = explore(deadlock(), with(StrategyKind::exitblock_rwdd));
  EXPECT_EQ(rw.paths, 5u);
  EXPECT_EQ(rw.aborted, 1u);
  EXPECT_EQ(rw.first_lock_cycle, 3u);
  const Result dd = explore(deadlock(), with(StrategyKind::exitblock_dd));
  EXPECT_EQ(dd.paths, 19u);
  EXPECT_EQ(dd.aborted, 3u);
  EXPECT_EQ(dd.lock_cycles, 3u);
  EXPECT_EQ(dd.deadlocks, 0u);
}

TEST(ThesisPrograms, Deadlock3) {
  const Result rw = explore(deadlock3(), with(StrategyKind::exitblock_rwdd));
  EXPECT_EQ(rw.paths, 21u);
  EXPECT_EQ(rw.aborted, 4u);
  EXPECT_EQ(rw.first_lock_cycle, 11u);
  const Result dd = explore(deadlock3(), with(StrategyKind::exitblock_dd));
  EXPECT_EQ(dd.paths, 2'537u);
  EXPECT_EQ(dd.aborted, 60u);
  EXPECT_EQ(dd.first_lock_cycle, 125u);
}

TEST(ThesisPrograms, DeadlockWait) {
  const Result rw = explore(deadlock_wait(), with(StrategyKind::exitblock_rwdd));
  EXPECT_EQ(rw.paths, 3u);
  EXPECT_EQ(rw.aborted, 1u);
  EXPECT_EQ(rw.first_deadlock, 1u);
  const Result dd = explore(deadlock_wait(), with(StrategyKind::exitblock_dd));
  EXPECT_EQ(dd.paths, 8u);
  EXPECT_EQ(dd.aborted, 2u);
  EXPECT_EQ(dd.first_deadlock, 1u);
}

TEST(ThesisPrograms, BufferIf) {
  Path first;
  std::uint64_t seen = 0;
  const Result result = explore(buffer_if(), with(StrategyKind::exitblock_rwdd), [&](const Path& path) {
    if (path.end.is_path && seen++ == 0) first = path;
  });
  EXPECT_TRUE(first.end.failed);
  EXPECT_EQ(first.end.ending, Ending::deadlock);
  EXPECT_EQ(result.first_failing, 1u);
  EXPECT_EQ(result.first_deadlock, 1u);
  EXPECT_EQ(result.paths, 7'185u);  // as an independent model of the algorithm counts them
  EXPECT_EQ(result.failing, 1'280u);
}

TEST(ThesisPrograms, BufferNotify) {
  const Result result = explore(buffer_notify(), with(StrategyKind::exitblock_rwdd));
  EXPECT_EQ(result.first_deadlock, 1u);
  EXPECT_EQ(result.failing, 0u);
  EXPECT_EQ(result.paths, 9'237u);  // likewise; the order of the branches differs, their number does not
}

}  // namespace
}  // namespace xbdbg::explore::model
