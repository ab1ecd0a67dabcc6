// The program becomes another one, and the agent goes with it.
#include <signal.h>

#include "tests/support/temp_dir.h"
#include "tests/target/launch/support.h"
#include "tracer/follow_exec.h"

namespace xbdbg {
namespace {

using test::content_of;
using test::our_environment;
using test::test_program;

struct Ran {
  TargetEvent end{};
  std::vector<FollowedExec> execs{};
  AgentStatus status{};
};

Result<Ran> run(const LaunchOptions& options) {
  XB_TRY(Launched target, launch(options));
  Ran ran;
  for (;;) {
    XB_TRY(ran.end, target.process.wait_event(std::nullopt));
    XB_TRY(ran.status, target.arena.status());
    if (target.process.ended()) return ran;
    if (!std::holds_alternative<TargetStopped>(ran.end)) continue;
    if (ran.status.state == agent::State::failed) return Error{Errc::unsupported, ran.status.message, {}};
    if (ran.status.state != agent::State::exec) return Error{Errc::os, "it stopped", {}};
    XB_TRY(FollowedExec followed, follow_exec(target.process, target.arena, {}));
    ran.execs.push_back(std::move(followed));
  }
}

LaunchOptions options_for(std::vector<std::string> argv) {
  return {.argv = std::move(argv), .env = our_environment(), .agent_path = XB_BINARY_DIR "/lib/libxbdbg-agent.so"};
}

Result<Ran> run_task(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), test_program("exec"));
  return run(options_for(std::move(arguments)));
}

// The program ends well, under the agent, after so many execs that were followed.
void expect_followed(const std::vector<std::string>& arguments, std::uint32_t images = 1) {
  ASSERT_OK(ran, run_task(arguments));
  EXPECT_EQ(ran.end, TargetEvent(TargetExited{0})) << arguments[0];
  EXPECT_EQ(ran.status.images, images) << arguments[0];
  EXPECT_EQ(ran.status.state, agent::State::ended) << arguments[0];
  for (const FollowedExec& exec : ran.execs) EXPECT_EQ(exec.outcome, FollowedExec::Outcome::followed) << arguments[0];
}

TEST(Exec, IsFollowedAgainAndAgainWithThreadsAlive) { expect_followed({"again", "3"}, 3); }
TEST(Exec, OfAnotherThreadMakesItMain) { expect_followed({"from_a_thread"}); }
TEST(Exec, ByDescriptorIsFollowed) { expect_followed({"by_descriptor"}); }
TEST(Exec, ByARelativePathIsFollowed) { expect_followed({"relative"}); }
TEST(Exec, KeepsTheEnvironmentGiven) { expect_followed({"environments"}); }
TEST(Exec, KeepsAnEmptyEnvironmentEmpty) { expect_followed({"empty_environment"}); }
TEST(Exec, TakesNoEnvironmentForAnEmptyOne) { expect_followed({"no_environment"}); }
TEST(Exec, KeepsDescriptorsAndClosesThoseThatAreToBe) { expect_followed({"descriptors"}); }
TEST(Exec, NeedsNoMoreDescriptorsThanTheProgramMayHave) { expect_followed({"few_descriptors"}); }
TEST(Exec, KeepsMaskAndIgnoredSignals) { expect_followed({"signals"}); }
TEST(Exec, DoesNotTurnBackTheClock) { expect_followed({"clocks"}); }

TEST(Exec, KeepsTheAlarm) {
  ASSERT_OK(ran, run_task({"alarm_stays"}));
  EXPECT_EQ(ran.end, TargetEvent(TargetSignaled{SIGALRM, false}));
  EXPECT_EQ(ran.status.images, 1u);
}

TEST(Exec, ThatFailsReturnsTheKernelsError) {
  ASSERT_OK(ran, run_task({"fails"}));
  EXPECT_EQ(ran.end, TargetEvent(TargetExited{0}));
  EXPECT_EQ(ran.status.images, 0u);
  EXPECT_EQ(ran.execs.size(), 6u);
  for (const FollowedExec& exec : ran.execs) EXPECT_EQ(exec.outcome, FollowedExec::Outcome::failed);
}

TEST(Exec, OfAScriptGoesThroughItsInterpreters) {
  test::TempDir dir;
  const std::string out = dir / "out";
  const std::string script =
      dir.file("script", "#!/usr/bin/env sh\necho \"$0 $1\" >" + out + "\nexec sh -c 'exit 5'\n");
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  ASSERT_OK(ran, run_task({"program", script, "argument"}));
  EXPECT_EQ(ran.end, TargetEvent(TargetExited{5}));
  EXPECT_EQ(content_of(out), script + " argument\n");
  EXPECT_EQ(ran.status.images, 3u);  // env, sh, sh
}

TEST(Exec, OfWhatCannotBeFollowedGoesOnNatively) {
  ASSERT_OK(ran, run_task({"program", test_program("static"), "7"}));
  EXPECT_EQ(ran.end, TargetEvent(TargetExited{7}));
  ASSERT_EQ(ran.execs.size(), 1u);
  EXPECT_EQ(ran.execs[0].outcome, FollowedExec::Outcome::left_alone);
  EXPECT_EQ(ran.status.state, agent::State::ended);
}

}  // namespace
}  // namespace xbdbg
