#include "ui-tui/cli/run_options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace xbdbg {
namespace {

using agent::PolicyKind;

TEST(RunOptions, TheDefaultIsTheFirstThread) {
  const auto plan = plan_run({});
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->config.policy, PolicyKind::first);
  EXPECT_EQ(plan->config.want_events + plan->config.want_choices, 0u);
}

TEST(RunOptions, ASeedMeansARandomSchedule) {
  const auto plan = plan_run({.seed = "7"});
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->config.policy, PolicyKind::random);
  EXPECT_EQ(plan->config.seed, 7u);
}

std::string refusal(const RunOptions& options) {
  const auto plan = plan_run(options);
  return plan ? "accepted" : plan.error().what;
}

TEST(RunOptions, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(refusal({.policy = "zip"}),
            "--policy zip: there is no such policy; there are first, round-robin and random");
  EXPECT_EQ(refusal({.policy = "first", .seed = "7"}), "--seed has no meaning with --policy first");
  EXPECT_EQ(refusal({.seed = "7", .schedule = "x.xbs"}),
            "--schedule says what every thread does: --policy and --seed cannot be given with it");
  EXPECT_EQ(refusal({.schedule = "/nowhere/x.xbs"}),
            "read the schedule: open /nowhere/x.xbs: No such file or directory");
  EXPECT_EQ(refusal({.save_schedule = "/nowhere/x.xbs"}),
            "save a schedule as /nowhere/x.xbs: No such file or directory");
  EXPECT_EQ(refusal({.events = "/nowhere/e.json"}), "write events: open /nowhere/e.json: No such file or directory");
  EXPECT_NE(refusal({.seed = "x"}).find("--seed"), std::string::npos);
  EXPECT_NE(refusal({.log = "loud"}).find("--log"), std::string::npos);
}

TEST(RunOptions, AScheduleSaysAtWhichPointsItsMakerWasAsked) {
  const std::string path = testing::TempDir() + "run_options_test.xbs";
  for (const PolicyKind maker : {PolicyKind::first, PolicyKind::random}) {
    Schedule schedule;
    schedule.header = {.program = "p", .policy = maker, .seed = 5};
    std::ofstream(path) << print_schedule(schedule);
    const auto plan = plan_run({.schedule = path});
    ASSERT_TRUE(plan) << plan.error().what;
    EXPECT_EQ(plan->config.policy, PolicyKind::follow);
    EXPECT_EQ(plan->config.follow_every_operation, maker == PolicyKind::random ? 1u : 0u);
    EXPECT_EQ(plan->made_by, maker);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace xbdbg
