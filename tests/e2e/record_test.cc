// `xbdbg record` is as good as no xbdbg, and `xbdbg replay` gives the same again: output, status, death.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

// The process of this name in the process group of an xbdbg: its target.
int member(int group, const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && ::getpgid(pid) == group && contents(entry.path() / "comm") == name + "\n") return pid;
  }
  return -1;
}

// Until the process has used this much processor time: what it did before it computes is done, then.
void await_processor_time(int pid, std::chrono::milliseconds wanted) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0) return;
  while (::clock_gettime(clock, &used) == 0 &&
         std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec) < wanted) {
    ::sched_yield();
  }
}

// Until it sleeps in the kernel: what it did before it waits is done, then.
void await_sleep(int pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/status";
  while (pid > 0 && contents(path).find("State:\tS") == std::string::npos) ::sched_yield();
}

class Recording : public testing::Test {
 protected:
  Outcome record(std::vector<std::string> words, const CommandOptions& options = {}) {
    words.insert(words.begin(), {"record", "-o", trace_, "--"});
    return xbdbg(words, options);
  }
  Outcome replay(std::vector<std::string> options = {}, const CommandOptions& command = {}) {
    options.insert(options.begin(), "replay");
    options.push_back(trace_);
    return xbdbg(options, command);
  }
  // Records, and replays twice.
  void expect_same(const std::vector<std::string>& words, const Outcome& expected,
                   const CommandOptions& options = {}) {
    std::filesystem::remove_all(trace_);
    EXPECT_EQ(record(words, options), expected);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(replay(), expected) << words.back();
  }

  const TempDir dir_{};
  const std::string trace_ = dir_ / "trace";
};

TEST_F(Recording, ExitStatusAndOutput) {
  expect_same({program("ending"), "exit", "0"}, {.status = 0});
  expect_same({program("ending"), "exit", "77"}, {.status = 77});
  expect_same({program("ending"), "both"}, {.status = 0, .out = "to stdout\n", .err = "to stderr\n"});
}

TEST_F(Recording, DeathBySignal) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGTERM, SIGKILL, SIGUSR1}) {
    expect_same({program("ending"), "signal", std::to_string(signal)}, {.signal = signal});
  }
  expect_same({program("ending"), "crash"}, {.signal = SIGSEGV});
  expect_same({program("ending"), "abort"}, {.signal = SIGABRT});
}

TEST_F(Recording, InputIsInTheTrace) {
  std::string input;
  for (int i = 0; i < 20'000; ++i) input += "line " + std::to_string(i) + "\n";
  expect_same({program("ending"), "cat"}, {.status = 0, .out = input}, {.input = input});
}

TEST_F(Recording, ADeadlockIsReportedAndReportedAgain) {
  const Outcome recorded = xbdbg({"record", "-o", trace_, "--seed", "4", "--", sample("deadlock")});
  EXPECT_EQ(recorded.status, 1) << recorded;
  EXPECT_NE(recorded.err.find("xbdbg: deadlock: no thread can run\n"), std::string::npos) << recorded;
  EXPECT_EQ(replay(), recorded);
}

TEST_F(Recording, AFailedAssertionIsReplayed) {
  for (int seed = 0; seed < 50; ++seed) {
    std::filesystem::remove_all(trace_);
    const std::vector<std::string> words{
        "record", "-o", trace_, "--seed", std::to_string(seed), "--", sample("split_sync_assert")};
    const Outcome recorded = xbdbg(words);
    if (recorded.signal != SIGABRT) continue;
    EXPECT_EQ(replay(), recorded);
    return;
  }
  FAIL() << "no seed makes split_sync_assert fail";
}

TEST_F(Recording, CtrlCGoesToTheProgramAndArrivesAgain) {
  const CommandOptions interrupt{.await = "ready\n", .then = [](int group) {
                                   await_sleep(member(group, "ending"));
                                   ::kill(-group, SIGINT);
                                 }};
  expect_same({program("ending"), "catch", std::to_string(SIGINT)}, {.status = 42, .out = "ready\ngot signal 02\n"},
              interrupt);
  expect_same({program("ending"), "catch", "0"}, {.signal = SIGINT, .out = "ready\n"}, interrupt);
}

TEST_F(Recording, AProgramKilledWhileItComputesIsReplayedUpToThere) {
  const CommandOptions kill{.await = "ready\n", .then = [](int group) {
                              await_processor_time(member(group, "inputs"), std::chrono::milliseconds(100));
                              ::kill(-group, SIGINT);
                            }};
  expect_same({program("inputs"), "compute"}, {.signal = SIGINT, .out = "ready\n"}, kill);
}

TEST_F(Recording, ReplayAsksNothingOfTheWorld) {
  const std::string input = dir_.file("input", "some text\n");
  ASSERT_EQ(record({program("inputs"), "file", input}), (Outcome{.status = 0, .out = "some text\nsome text\n"}));
  std::filesystem::remove(input);
  EXPECT_EQ(replay({}, {.folder = "/"}), (Outcome{.status = 0, .out = "some text\nsome text\n"}));
}

TEST_F(Recording, TimeChanceAndPlaceAreThoseOfTheRecording) {
  const Outcome recorded = record({program("inputs"), "machine"});
  EXPECT_EQ(recorded.status, 0) << recorded;
  EXPECT_EQ(replay({}, {.folder = "/"}), recorded);
}

TEST_F(Recording, EventsOfAReplayAreThoseOfEveryReplay) {
  ASSERT_EQ(record({program("inputs"), "work", "5"}).status, 0);
  ASSERT_EQ(replay({"--events", dir_ / "1"}).status, 0);
  ASSERT_EQ(replay({"--events", dir_ / "2"}).status, 0);
  EXPECT_EQ(contents(dir_ / "1"), contents(dir_ / "2"));
  EXPECT_NE(contents(dir_ / "1").find(R"("op":"mutex_lock","object":"lock")"), std::string::npos);
}

TEST_F(Recording, SaysNothingUnlessAsked) {
  const Outcome recorded = xbdbg({"record", "-v", "-o", trace_, "--", program("ending"), "exit", "3"});
  EXPECT_EQ(recorded.status, 3);
  EXPECT_EQ(recorded.out, "");
  EXPECT_NE(recorded.err.find(" events in " + trace_ + "\n"), std::string::npos) << recorded;
}

TEST_F(Recording, AnExistingDirectoryIsNotOverwritten) {
  ASSERT_EQ(record({program("ending"), "exit", "3"}).status, 3);
  const Outcome again = record({program("ending"), "exit", "3"});
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find(trace_), std::string::npos) << again;
}

TEST_F(Recording, AProgramThatCannotRunLeavesNoTrace) {
  EXPECT_EQ(record({"/nowhere/prog"}).status, 2);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
  EXPECT_EQ(xbdbg({"record"}).status, 2);
}

// Kills xbdbg itself, which takes the target with it.
TEST_F(Recording, WhatAKilledXbdbgLeftIsReplayedUpToThere) {
  const CommandOptions kill{.await = "tick 20\n", .then = [](int pid) { ::kill(pid, SIGKILL); }};
  const Outcome recorded = record({program("inputs"), "tick"}, kill);
  EXPECT_EQ(recorded.signal, SIGKILL);
  EXPECT_EQ(replay().status, 2) << "it is incomplete";
  const Outcome replayed = replay({"--allow-incomplete"});
  EXPECT_EQ(replayed.status, 0) << replayed;
  EXPECT_EQ(recorded.out.find(replayed.out), 0u) << "the beginning of what was seen: " << replayed;
  EXPECT_NE(replayed.err.find("the recording was cut off here"), std::string::npos) << replayed;
}

TEST_F(Recording, AKilledTargetLeavesAWholeTrace) {
  const CommandOptions kill{.await = "tick 5\n", .then = [](int group) { ::kill(member(group, "inputs"), SIGKILL); }};
  const Outcome recorded = record({program("inputs"), "tick"}, kill);
  EXPECT_EQ(recorded.signal, SIGKILL) << recorded;
  const Outcome replayed = replay();
  EXPECT_EQ(replayed.signal, SIGKILL) << replayed;
  EXPECT_EQ(replayed.out, recorded.out);
}

TEST_F(Recording, AChangedProgramIsNamedAsTheCause) {
  const std::string prog = dir_ / "prog";
  std::filesystem::copy_file(program("ending"), prog);
  ASSERT_EQ(record({prog, "exit", "3"}).status, 3);
  std::filesystem::remove(prog);
  std::filesystem::copy_file(program("inputs"), prog);
  const Outcome replayed = replay();
  EXPECT_EQ(replayed.status, 2) << replayed;
  EXPECT_NE(replayed.err.find("build-id"), std::string::npos) << replayed;
  EXPECT_NE(replayed.err.find(prog), std::string::npos) << replayed;

  std::filesystem::remove(prog);
  const Outcome missing = replay();
  EXPECT_EQ(missing.status, 2) << missing;
  EXPECT_NE(missing.err.find(prog), std::string::npos) << missing;
}

TEST_F(Recording, APackedTraceNeedsItsProgramNoMore) {
  const std::string prog = dir_ / "prog";
  std::filesystem::copy_file(program("ending"), prog);
  ASSERT_EQ(record({prog, "both"}).status, 0);
  ASSERT_EQ(xbdbg({"pack", trace_}), (Outcome{.status = 0}));
  std::filesystem::remove(prog);
  EXPECT_EQ(replay(), (Outcome{.status = 0, .out = "to stdout\n", .err = "to stderr\n"}));
}

}  // namespace
}  // namespace xbdbg::test
