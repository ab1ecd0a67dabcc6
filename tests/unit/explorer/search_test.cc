// Lock cycles that are driven into, loops that poll, time limits, parts of the tree that change hands, and memory.
#include <gtest/gtest.h>

#include <set>

#include "explorer/core/branch.h"
#include "tests/unit/explorer/thesis_programs.h"
#include "tracer/agent/protocol.h"

namespace xbdbg::explore::model {
namespace {

Options with(StrategyKind strategy) {
  Options options;
  options.strategy = strategy;
  return options;
}

TEST(LockCycle, IsReportedWithItsLocksAndPlacesAndDrivenIntoTheRealDeadlock) {
  LockCycle predicted;
  LockCycle driven;
  State stuck;
  const Result result = explore(deadlock3(), with(StrategyKind::exitblock_dd), [&](const Path& path) {
    if (path.end.cycle == nullptr) return;
    if (path.end.ending == Ending::deadlock) {
      driven = *path.end.cycle;
      stuck = path.state;
    } else {
      predicted = *path.end.cycle;
    }
  });
  EXPECT_EQ(result.paths, 2'537u);
  EXPECT_GE(result.drives_confirmed, 1u);
  ASSERT_EQ(predicted.count, 3u);
  EXPECT_FALSE(predicted.confirmed);
  ASSERT_EQ(driven.count, 3u);
  EXPECT_TRUE(driven.confirmed);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const CycleMember& member = driven.members[i];
    EXPECT_EQ(member.wanted, driven.members[(i + 1) % 3].held.object);
    EXPECT_EQ(member.wanted_site, member.thread * 1000 + 1);  // the second operation of each thread,
    EXPECT_EQ(member.held.site, member.thread * 1000);        // holding what it took with the first
    EXPECT_EQ(stuck.threads[member.thread].pc, 1);
  }
}

TEST(LockCycle, IsNotReportedWhereAGateLockPreventsIt) {
  const Program program = with_main({{lock(2), lock(0), lock(1), unlock(1), unlock(0), unlock(2)},
                                     {lock(2), lock(1), lock(0), unlock(0), unlock(1), unlock(2)}});
  const Result result = explore(program, with(StrategyKind::exitblock_dd));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.lock_cycles, 0u);
  EXPECT_EQ(result.deadlocks, 0u);
}

// while (!flag) { yield }, the flag under a lock.
Code poll_for(int variable, bool yields) {
  Code code = {lock(0), load(0, variable), unlock(0)};
  if (yields) code.push_back(yield());
  code.push_back(jump_if_local(0, 0, 0));
  return code;
}

TEST(Polling, LoopsThatYieldAreExploredToTheEnd) {
  const Program program = with_main({poll_for(0, true), {lock(0), store(0, 1, 1), unlock(0)}});
  for (StrategyKind strategy : {StrategyKind::exitblock_dd, StrategyKind::exitblock_rwdd, StrategyKind::automatic}) {
    Options options = with(strategy);
    options.max_schedules = 10'000;
    const Result result = explore(program, options);
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.deadlocks, 0u);
    EXPECT_EQ(result.bounds & kBoundLength, 0u);
  }
}

TEST(Polling, TwoPollersDoNotStarveTheThreadTheyWaitFor) {
  const Program program = with_main({poll_for(0, true), poll_for(0, true), {lock(0), store(0, 1, 1), unlock(0)}});
  Options options = with(StrategyKind::exitblock_dd);
  options.max_schedules = 200'000;
  options.free_polls = 0;
  const Result result = explore(program, options, [](const Path& path) {
    EXPECT_NE(path.end.ending, Ending::no_progress);
    EXPECT_LT(path.schedule.size(), 200u);
  });
  EXPECT_TRUE(result.complete);
  EXPECT_NE(result.bounds & kBoundFairness, 0u);
}

TEST(Polling, LoopsThatDoNotEvenYieldGiveWayInTheEnd) {
  const Program program = with_main({poll_for(0, false), {lock(0), store(0, 1, 1), unlock(0)}});
  Options options = with(StrategyKind::exitblock_dd);
  options.max_schedules = 500;
  const Result result = explore(program, options, [](const Path& path) { EXPECT_LT(path.schedule.size(), 2'000u); });
  EXPECT_NE(result.bounds & kBoundFairness, 0u);
}

TEST(Polling, WithoutAnyHopeEndsAsNoProgress) {
  const Program program = with_main({poll_for(0, true), poll_for(0, true)});
  Options options = with(StrategyKind::exitblock_dd);
  options.max_schedules = 20;
  options.max_polls = 100;
  bool seen = false;
  const Result result =
      explore(program, options, [&](const Path& path) { seen = seen || path.end.ending == Ending::no_progress; });
  EXPECT_TRUE(seen);
  EXPECT_NE(result.bounds & kBoundLength, 0u);
}

TEST(Timeouts, AreAChoiceWhileOthersCanRunAndForcedWhenNobodyCan) {
  // One waiter with a time limit, one signaller that comes in time or not.
  const Program program = with_main(
      {{lock(0), timed_wait(0, 0), act({}, {1}, [](int* s, int* l) { return s[1] = 1 + l[3], kNext; }), unlock(0)},
       {lock(0), signal(0), unlock(0)}});
  std::set<int> outcomes;
  const Result result = explore(program, with(StrategyKind::exitblock_dd), [&](const Path& path) {
    if (path.state.all_ended()) outcomes.insert(path.state.shared[1]);
  });
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(outcomes, (std::set<int>{1, 2}));
  EXPECT_EQ(result.deadlocks, 0u);
}

TEST(Timeouts, LoopsOfTimedWaitsStayFinite) {
  // while (!flag) timed_wait();
  const Program program = with_main({{lock(0), load(0, 0), jump_if_local(0, 1, 5), timed_wait(0, 0),
                                      act({}, {}, [](int*, int*) { return 1; }), unlock(0)},
                                     {lock(0), store(0, 1, 1), unlock(0)}});
  const Result result = explore(program, with(StrategyKind::exitblock_dd));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.deadlocks, 0u);
}

TEST(SpuriousWakeups, AreExploredWhenAskedFor) {
  const Program program =
      with_main({{lock(0), load(0, 0), jump_if_local(0, 1, 4), wait(0, 0), check_equal(0, 1), unlock(0)},
                 {lock(0), store(0, 2, 1), broadcast(0), unlock(0)}});
  Program fixed = program;
  for (Code& code : fixed.threads) {
    for (Op& op : code) {
      if (op.kind == Kind::act && op.reads.size() == 1 && op.writes.empty() && &op == &code[4]) {
        op = act({0}, {}, [](int* s, int*) { return s[0] == 1 ? kNext : kFail; });
      }
    }
  }
  Options options = with(StrategyKind::exitblock_dd);
  EXPECT_EQ(explore(fixed, options).failing, 0u);
  options.max_spurious = 1;
  EXPECT_GT(explore(fixed, options).failing, 0u);
}

TEST(Workers, ExchangeBranchesAndCountEveryPathOnce) {
  for (StrategyKind strategy : {StrategyKind::exitblock_dd, StrategyKind::exitblock_rwdd, StrategyKind::automatic}) {
    for (const Program& program : {split_sync(), performance(3, 2), buffer_notify(), deadlock3()}) {
      Options options = with(strategy);
      options.drive_deadlocks = false;
      if (strategy != StrategyKind::exitblock_rwdd && program.threads.size() == 4 && program.threads[1].size() > 10)
        continue;
      const Result whole = explore(program, options);
      TestArena memory[2];
      Search first(memory[0].arena(), options);
      options.start_empty = true;
      Search second(memory[1].arena(), options);
      Runner runners[2] = {Runner(program, first, false), Runner(program, second, false)};
      std::vector<std::uint8_t> bytes(std::size_t{1} << 20);
      bool busy = true;
      while (busy) {
        busy = runners[0].run_one();
        if (const std::size_t size = first.export_branch(bytes.data(), bytes.size())) {
          while (runners[1].run_one()) {
          }
          ASSERT_TRUE(second.import_branch(bytes.data(), size));
          busy = true;
        }
        busy = runners[1].run_one() || busy;
        if (const std::size_t size = busy ? second.export_branch(bytes.data(), bytes.size()) : 0) {
          while (runners[0].run_one()) {
          }
          ASSERT_TRUE(first.import_branch(bytes.data(), size));
        }
      }
      if (strategy != StrategyKind::automatic || whole.aborted == 0) {
        EXPECT_EQ(first.result().paths + second.result().paths, whole.paths);
      }
      EXPECT_EQ(first.result().failing + second.result().failing, whole.failing);
      EXPECT_GT(second.result().paths, 0u);
    }
  }
}

TEST(Branch, RefusesWhatIsCutShortOrScribbledOn) {
  TestArena memory;
  Search search(memory.arena(), with(StrategyKind::exitblock_rwdd));
  const Program program = buffer_if();
  Runner runner(program, search);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(runner.run_one());
  std::vector<std::uint8_t> bytes(4096);
  const std::size_t size = search.export_branch(bytes.data(), bytes.size());
  ASSERT_GT(size, 0u);
  AccessStack accesses(memory.arena());
  Tree tree(memory.arena(), accesses, kUnlimited);
  EXPECT_TRUE(read_branch(tree, accesses, bytes.data(), size));
  for (std::size_t cut = 0; cut < size; ++cut) EXPECT_FALSE(read_branch(tree, accesses, bytes.data(), cut));
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {  // must not crash; the address sanitizer looks on
    std::vector<std::uint8_t> broken(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    broken[random.below(static_cast<std::uint32_t>(size))] = static_cast<std::uint8_t>(random.next());
    (void)read_branch(tree, accesses, broken.data(), size);
  }
}

TEST(Memory, WhenItRunsOutTheSearchEndsAndSaysSo) {
  TestArena memory(std::size_t{1} << 20);
  Search search(memory.arena(), with(StrategyKind::exitblock_dd));
  const Program program = performance(8, 1000);
  Runner runner(program, search);
  int runs = 0;
  while (runs < 100 && runner.run_one()) ++runs;
  EXPECT_LT(runs, 100);
  EXPECT_NE(search.result().bounds & kBoundMemory, 0u);
  EXPECT_FALSE(search.result().complete);
}

TEST(Memory, DoesNotGrowWithTheNumberOfSchedules) {
  TestArena memory;
  Search search(memory.arena(), with(StrategyKind::exitblock_dd));
  const Program program = performance(4, 1);
  Runner runner(program, search, false);
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(runner.run_one());
  const std::size_t early = memory.arena().in_use();
  while (runner.run_one()) {
  }
  EXPECT_EQ(memory.arena().in_use(), early);
}

TEST(Exit, EndsThePathAndStillLetsTheOthersGoFirst) {
  // Main returns from main() while the thread may or may not have written.
  Program program = with_main({{lock(0), store(0, 0, 1), unlock(0)}});
  program.threads[0].push_back(exit_process());
  std::set<int> seen;
  const Result result = explore(program, with(StrategyKind::exitblock_dd), [&](const Path& path) {
    EXPECT_EQ(path.end.ending, Ending::exited);
    seen.insert(path.state.shared[0]);
  });
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(seen, (std::set<int>{0, 1}));
}

TEST(Decision, FitsTheAgentsChoice) {
  static_assert(sizeof(Decision::thread) == sizeof(agent::Choice::chosen));
  static_assert(sizeof(Decision::alternatives) == sizeof(agent::Choice::alternatives));
  TestArena memory;
  Search search(memory.arena(), with(StrategyKind::exitblock_dd));
  const Program program = split_sync();
  Runner runner(program, search);
  ASSERT_TRUE(search.begin());
  const Decision first = search.pick();
  EXPECT_EQ(first.thread, 0u);
  EXPECT_EQ(first.alternatives, 2u);  // main and the first thread
}

}  // namespace
}  // namespace xbdbg::explore::model
