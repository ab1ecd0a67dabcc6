// How the end of a target, and what happens to it before, reaches us.
#include <signal.h>

#include <chrono>

#include "tests/support/temp_dir.h"
#include "tests/target/launch/support.h"

namespace xbdbg {
namespace {

using namespace std::chrono_literals;
using test::launch_program;
using test::test_program;
using test::wait_for_end;

void expect_end(const std::vector<std::string>& argv, const TargetEvent& expected) {
  ASSERT_OK(target, launch_program(argv));
  ASSERT_OK(event, wait_for_end(target.process));
  EXPECT_EQ(event, expected) << argv[1] << " " << argv[2];
}

TEST(Launch, ExitCodesComeThroughExactly) {
  for (const int code : {0, 1, 7, 127, 139, 255}) {
    expect_end({test_program("probe"), "exit", std::to_string(code)}, TargetExited{code});
  }
}

TEST(Launch, DeathBySignalComesThroughAsASignal) {
  for (const int number : {SIGKILL, SIGTERM, SIGUSR1, SIGPIPE, SIGRTMIN + 3}) {
    expect_end({test_program("probe"), "raise", std::to_string(number)}, TargetSignaled{number, false});
  }
}

TEST(Launch, StopsAndContinuationsAreReported) {
  ASSERT_OK(target, launch_program({test_program("probe"), "stop"}));
  ASSERT_OK(stopped, target.process.wait_event(std::nullopt));
  EXPECT_EQ(stopped, TargetEvent(TargetStopped{SIGSTOP}));
  ASSERT_OK(nothing, target.process.wait_event(1ms));
  EXPECT_EQ(nothing, TargetEvent(WaitTimeout{}));
  EXPECT_OK(target.process.send_signal(SIGCONT));
  ASSERT_OK(continued, target.process.wait_event(std::nullopt));
  EXPECT_EQ(continued, TargetEvent(TargetContinued{}));
  EXPECT_OK(target.process.send_signal(SIGUSR1));
  ASSERT_OK(end, target.process.wait_event(std::nullopt));
  EXPECT_EQ(end, TargetEvent(TargetSignaled{SIGUSR1, false}));
}

TEST(Launch, AfterTheEndThereIsNothingToWaitForOrToSignal) {
  ASSERT_OK(target, launch_program({test_program("probe"), "exit", "3"}));
  EXPECT_OK(wait_for_end(target.process));
  EXPECT_ERROR(target.process.wait_event(0ms), Errc::target_gone, "ended already");
  EXPECT_ERROR(target.process.send_signal(SIGTERM), Errc::target_gone, "has ended");
}

TEST(Launch, KillAllKeepsTheEventsForLater) {
  ASSERT_OK(target, launch_program({test_program("probe"), "stop"}));
  ASSERT_OK(stopped, target.process.wait_event(std::nullopt));
  EXPECT_EQ(stopped, TargetEvent(TargetStopped{SIGSTOP}));
  target.process.kill_all();
  ASSERT_OK(end, target.process.wait_event(0ms));
  EXPECT_EQ(end, TargetEvent(TargetSignaled{SIGKILL, false}));
  EXPECT_EQ(::kill(target.process.pid().raw(), 0), -1);
}

TEST(Launch, RefusalsAndMissingAgentsStartNothing) {
  EXPECT_ERROR(launch_program({"/nowhere/prog"}), Errc::not_found, "/nowhere/prog");
  const auto with_agent = [](const char* path) {
    return launch({.argv = {test_program("probe"), "exit", "0"}, .env = {}, .agent_path = path});
  };
  EXPECT_ERROR(with_agent("/nowhere/agent.so"), Errc::not_found, "/nowhere/agent.so");
}

TEST(Launch, WhatExecRefusesIsReported) {
  EXPECT_ERROR(launch_program({test_program("probe"), std::string(200'000, 'x')}), Errc::os,
               "Argument list too long");
}

TEST(Launch, ScriptsRunThroughTheirInterpreter) {
  test::TempDir dir;
  for (const char* first_line : {"#!/bin/sh\n", "#!/usr/bin/env sh\n"}) {
    const std::string script = dir.file("script", std::string(first_line) + "exit $(($# + 40))\n");
    ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
    expect_end({script, "a", "b"}, TargetExited{42});
  }
}

TEST(Launch, TwoTargetsAtOnceDoNotDisturbEachOther) {
  ASSERT_OK(first, launch_program({test_program("probe"), "stop"}));
  ASSERT_OK(second, launch_program({test_program("probe"), "exit", "5"}));
  ASSERT_OK(end, wait_for_end(second.process));
  EXPECT_EQ(end, TargetEvent(TargetExited{5}));
  second.process.kill_all();
  ASSERT_OK(stopped, first.process.wait_event(std::nullopt));
  EXPECT_EQ(stopped, TargetEvent(TargetStopped{SIGSTOP}));
}

}  // namespace
}  // namespace xbdbg
