// Threads that spin without ever calling anything.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

using Words = std::vector<std::string>;

std::string built(const std::string& name) { return XB_BINARY_DIR "/bin/spin/" + name; }

Outcome run(Words options, const Words& program) {
  options.insert(options.begin(), "run");
  options.emplace_back("--");
  options.insert(options.end(), program.begin(), program.end());
  return xbdbg(options);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::vector<Words> schedules(int seeds) {
  std::vector<Words> all = {{}, {"--policy", "first"}, {"--policy", "round-robin"}};
  for (int seed = 0; seed < seeds; ++seed) all.push_back({"--seed", std::to_string(seed)});
  return all;
}

TEST(Spin, SamplesThatSpinEndInEverySchedule) {
  for (const Words& options : schedules(20)) {
    const Outcome flag = run(options, {sample("spin_flag")});
    EXPECT_EQ(flag.out, "message 42\n") << testing::PrintToString(options) << flag;
    EXPECT_EQ(flag.status, 0) << flag;
    const Outcome fixed = run(options, {sample("no_progress_fixed")});
    EXPECT_EQ(fixed.out, "announced 1\n") << testing::PrintToString(options) << fixed;
    EXPECT_EQ(fixed.status, 0) << fixed;
  }
}

TEST(Spin, EventsAreTheSameWheneverTheSpinIsNoticed) {
  TempDir dir;
  std::string first;
  for (int i = 0; i < 20; ++i) {
    run({"--events", dir / "events"}, {sample("spin_flag")});
    const std::string events = contents(dir / "events");
    if (i == 0) first = events;
    ASSERT_EQ(events, first) << "run " << i;
  }
  EXPECT_EQ(count(first, "spin_detected"), 1u) << first;
}

TEST(Spin, ASavedScheduleIsFollowedThroughSpins) {
  TempDir dir;
  run({"--seed", "3", "--events", dir / "a", "--save-schedule", dir / "s"}, {built("locks_O2"), "peterson"});
  run({"--schedule", dir / "s", "--events", dir / "b"}, {built("locks_O2"), "peterson"});
  EXPECT_NE(contents(dir / "a"), "");
  EXPECT_EQ(contents(dir / "a"), contents(dir / "b"));
}

TEST(NoProgress, IsAFindingThatNamesBothPlaces) {
  Outcome outcome;
  for (int seed = 0; seed < 200 && outcome.status != 1; ++seed) {
    outcome = run({"--seed", std::to_string(seed)}, {sample("no_progress")});
    ASSERT_FALSE(outcome.timed_out) << "seed " << seed;
  }
  ASSERT_EQ(outcome.status, 1) << outcome;
  EXPECT_NE(outcome.err.find("xbdbg: no progress:"), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("T1 spins until `go` changes\n      at work ("), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("no_progress.c:23)"), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("T0 waits in pthread_join for T1\n      at main ("), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("no_progress.c:44)"), std::string::npos) << outcome;
}

class Levels : public testing::TestWithParam<std::string> {
 protected:
  std::string locks() const { return built("locks_" + GetParam()); }
  std::string loops() const { return built("loops_" + GetParam()); }
};

TEST_P(Levels, LocksThatSpinExcludeEachOtherAndEnd) {
  for (const Words& options : schedules(2)) {
    for (const auto& [lock, rounds] : std::vector<std::pair<std::string, int>>{
             {"flag", 80}, {"peterson", 40}, {"ticket", 80}, {"cas", 80}, {"pingpong", 40}}) {
      const Outcome outcome = run(options, {locks(), lock});
      EXPECT_EQ(outcome.out, lock + " " + std::to_string(rounds) + "\n") << outcome;
      EXPECT_EQ(outcome.err, "") << outcome;
    }
  }
}

TEST_P(Levels, AComputationIsNotInterrupted) {
  TempDir dir;
  const Outcome quick = run({"--policy", "first", "--events", dir / "quick"}, {loops(), "counted", "1"});
  const Outcome slow = run({"--policy", "first", "--events", dir / "slow"}, {loops(), "counted", "400000000"});
  EXPECT_EQ(slow, quick);
  EXPECT_EQ(contents(dir / "slow"), contents(dir / "quick"));
  EXPECT_NE(contents(dir / "slow"), "");
}

TEST_P(Levels, SleepersTimersSignalsAndOtherProcessesEndALoop) {
  for (const std::string what : {"sleeper", "alarm", "signal", "shared", "block"}) {
    const Outcome outcome = run({}, {loops(), what});
    EXPECT_EQ(outcome.out, what + " ended\n") << outcome;
    EXPECT_EQ(outcome.status, 0) << outcome;
  }
}

TEST_P(Levels, ALoopThatNobodyCanEndIsReported) {
  for (const std::string what : {"alone", "stuck"}) {
    const Outcome outcome = run({}, {loops(), what});
    EXPECT_EQ(outcome.status, 1) << outcome;
    EXPECT_EQ(count(outcome.err, "spins until"), what == "stuck" ? 2u : 1u) << outcome;
  }
}

TEST_P(Levels, OthersGetATurnWhenALoopIsNotUnderstood) {
  const Outcome outcome = run({"--events", "/dev/null"}, {loops(), "counting"});
  EXPECT_EQ(outcome.out, "counting ended\n") << outcome;
  EXPECT_EQ(count(outcome.err, "made no step for 2 s at with_helper"), 1u) << outcome;
}

INSTANTIATE_TEST_SUITE_P(Spin, Levels, testing::Values("O0", "O2"), [](const auto& level) { return level.param; });

}  // namespace
}  // namespace xbdbg::test
