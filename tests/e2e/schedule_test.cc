// A saved schedule gives the same execution again, or says at which step it cannot.
#include <gtest/gtest.h>

#include <set>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

class ScheduleFile : public testing::Test {
 protected:
  Outcome run(std::vector<std::string> options, const std::string& name = "philosophers_fixed") {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", sample(name), "3"});
    return xbdbg(options);
  }
  TempDir dir_;
  const std::string file_ = dir_ / "a.xbs", again_ = dir_ / "b.xbs", events_ = dir_ / "a.json",
                    events_again_ = dir_ / "b.json";
};

TEST_F(ScheduleFile, FollowedItGivesTheSameEventsAndTheSameSchedule) {
  for (const std::vector<std::string>& policy : std::vector<std::vector<std::string>>{
           {"--policy", "first"}, {"--policy", "round-robin"}, {"--seed", "5"}, {"--policy", "random"}}) {
    std::vector<std::string> options = policy;
    options.insert(options.end(), {"--save-schedule", file_, "--events", events_});
    const Outcome made = run(options);
    ASSERT_EQ(made.status, 0) << made;
    const Outcome followed = run({"--schedule", file_, "--save-schedule", again_, "--events", events_again_});
    EXPECT_EQ(followed, made) << policy.back();
    EXPECT_EQ(contents(again_), contents(file_)) << policy.back();
    EXPECT_EQ(contents(events_again_), contents(events_)) << policy.back();
  }
}

TEST_F(ScheduleFile, HasTheSeedOfARandomRun) {
  ASSERT_EQ(run({"--seed", "77", "--save-schedule", file_}).status, 0);
  EXPECT_NE(contents(file_).find("\npolicy random\nseed 77\n"), std::string::npos) << contents(file_);
}

TEST_F(ScheduleFile, ARandomSeedIsShownAndGivesTheSameScheduleAgain) {
  const Outcome made = run({"--policy", "random", "--verbose", "--save-schedule", file_});
  const std::size_t at = made.err.find(", seed ");
  ASSERT_NE(at, std::string::npos) << made;
  const std::string seed = made.err.substr(at + 7, made.err.find('\n', at) - at - 7);
  ASSERT_EQ(run({"--seed", seed, "--save-schedule", again_}).status, 0);
  EXPECT_EQ(contents(again_), contents(file_));
}

TEST_F(ScheduleFile, DifferentSeedsGiveDifferentSchedules) {
  std::set<std::string> choices;
  for (int seed = 0; seed < 10; ++seed) {
    ASSERT_EQ(run({"--seed", std::to_string(seed), "--save-schedule", file_}).status, 0);
    const std::string text = contents(file_);
    choices.insert(text.substr(text.find("\nchoices ")));
  }
  EXPECT_GE(choices.size(), 8u);
}

TEST_F(ScheduleFile, AMismatchNamesTheStepAndTheLine) {
  ASSERT_EQ(run({"--seed", "3", "--save-schedule", file_}).status, 0);
  std::string text = contents(file_);
  const std::size_t first = text.find("\nt ") + 1;
  const std::size_t end = text.find('\n', first);
  text.replace(first, end - first, "t 99 of 2");  // a thread that is not there
  text.replace(text.find("\nchoices "), text.find('\n', text.find("\nchoices ") + 1) - text.find("\nchoices "),
               "\nchoices 1");
  text.resize(text.find("t 99 of 2\n") + 10);
  text += "end\n";
  const Outcome outcome = run({"--schedule", dir_.file("edited.xbs", text)});
  EXPECT_EQ(outcome.status, 2) << outcome;
  EXPECT_EQ(outcome.out, "") << outcome;
  EXPECT_EQ(outcome.err.rfind("xbdbg: schedule mismatch at step 0: ", 0), 0u) << outcome;
  EXPECT_NE(outcome.err.find("\"t 99 of 2\""), std::string::npos) << outcome;
}

TEST_F(ScheduleFile, OfAnotherProgramDoesNotFit) {
  ASSERT_EQ(run({"--seed", "3", "--save-schedule", file_}).status, 0);
  const Outcome outcome = run({"--schedule", file_}, "semaphore_buffer");
  EXPECT_EQ(outcome.status, 2) << outcome;
  EXPECT_EQ(outcome.err.rfind("xbdbg: schedule mismatch at step ", 0), 0u) << outcome;
}

// By default a thread goes on while it can, but not for ever: one that polls keeps those waiting it polls for.
TEST_F(ScheduleFile, OfAThreadThatPollsUnderALockLetsTheOthersRun) {
  const std::string events = file_ + ".events", again = file_ + ".again";
  const Outcome plain = xbdbg({"run", "--events", events, "--", program("polls")});
  ASSERT_EQ(plain.status, 0) << plain;
  const std::string expected = contents(events);
  // That somebody keeps the choices, or gives them, makes no difference.
  ASSERT_EQ(xbdbg({"run", "--events", events, "--save-schedule", file_, "--", program("polls")}).status, 0);
  EXPECT_TRUE(contents(events) == expected);
  ASSERT_EQ(xbdbg({"run", "--schedule", file_, "--save-schedule", again, "--", program("polls")}).status, 0);
  const std::string saved = contents(file_), followed = contents(again);
  EXPECT_EQ(followed.substr(followed.find("\nevents ")), saved.substr(saved.find("\nevents ")));
}

TEST_F(ScheduleFile, IsWrittenWhenTheProgramCrashes) {
  const Outcome outcome = xbdbg({"run", "--save-schedule", file_, "--", program("ending"), "crash"});
  EXPECT_EQ(outcome.signal, 11) << outcome;
  const std::string text = contents(file_);
  EXPECT_NE(text.find("\nargument crash\n"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "end\n") << text;
}

}  // namespace
}  // namespace xbdbg::test
