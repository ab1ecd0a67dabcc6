// `--events`: one JSON object per event, which says who did what to which object, and where in the program.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

using nlohmann::json;

std::vector<json> parse_lines(const std::string& text) {
  std::vector<json> events;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line));
  return events;
}

std::string event_lines(const std::vector<std::string>& argv, const std::string& seed) {
  const TempDir dir;
  std::vector<std::string> words = {"run", "--seed", seed, "--events", dir / "events", "--"};
  words.insert(words.end(), argv.begin(), argv.end());
  const Outcome outcome = xbdbg(words, {.folder = XB_SOURCE_DIR});
  EXPECT_EQ(outcome.status, 0) << outcome;
  return contents(dir / "events");
}

std::vector<json> events_of(const std::string& path, const std::string& seed) {
  return parse_lines(event_lines({path}, seed));
}

const std::vector<std::string>& plugin_host() {
  static const std::vector<std::string> argv = {program("plugin_host"), program("plugin.so")};
  return argv;
}

int line_of(const std::string& file, const std::string& text) {
  std::istringstream source(contents(XB_SOURCE_DIR "/" + file));
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  return -1;
}

const json* find(const std::vector<json>& events, const std::string& thread, const std::string& op) {
  for (const json& event : events) {
    if (event["thread"] == thread && event["op"] == op) return &event;
  }
  return nullptr;
}

TEST(Events, AreNumberedAndHaveAThreadAnOperationAndAResult) {
  const auto events = events_of(program("ending"), "1");
  ASSERT_FALSE(events.empty());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i]["index"], i);
    EXPECT_TRUE(events[i]["thread"].is_string() && events[i]["op"].is_string() && events[i].contains("result"));
  }
}

TEST(Events, NameObjectFunctionFileAndLine) {
  const auto events = events_of(program("ending"), "1");
  const json* lock = find(events, "T1", "mutex_lock");
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ((*lock)["object"], "lock");
  EXPECT_EQ((*lock)["function"], "worker");
  EXPECT_EQ((*lock)["file"], "tests/e2e/programs/ending.c");
  EXPECT_EQ((*lock)["line"], line_of("tests/e2e/programs/ending.c", "pthread_mutex_lock"));
  EXPECT_EQ((*lock)["result"], 0);
  const json* create = find(events, "T0", "thread_create");
  ASSERT_NE(create, nullptr);
  EXPECT_EQ((*create)["object"], "T1");
  EXPECT_EQ((*create)["function"], "main");
}

// std::condition_variable::wait is in libstdc++: the return address of pthread_cond_wait is there.
TEST(Events, OfALibraryAreThoseOfTheProgramsLineThatCalledIt) {
  for (int seed = 0; seed < 50; ++seed) {
    const auto events = events_of(program("waits"), std::to_string(seed));
    const json* wait = find(events, "T1", "cond_wait");
    if (wait == nullptr) continue;  // main was faster
    EXPECT_EQ((*wait)["function"], "wait_for_it()");
    EXPECT_EQ((*wait)["file"], "tests/e2e/programs/waits.cc");
    EXPECT_EQ((*wait)["line"], line_of("tests/e2e/programs/waits.cc", "the line of the wait"));
    EXPECT_EQ((*wait)["object"], "pool.ready");
    EXPECT_EQ((*wait)["mutex"], "pool.lock");
    return;
  }
  FAIL() << "no seed lets the thread wait";
}

// std::thread and std::lock_guard are headers, compiled into the program: the user wants the line that uses them.
TEST(Events, OfTheStandardLibrarysHeadersAreThoseOfTheLineThatUsesThem) {
  const auto events = events_of(program("waits"), "1");
  const json* create = find(events, "T0", "thread_create");
  const json* lock = find(events, "T0", "mutex_lock");
  ASSERT_TRUE(create != nullptr && lock != nullptr);
  EXPECT_EQ((*create)["line"], line_of("tests/e2e/programs/waits.cc", "std::thread thread"));
  EXPECT_EQ((*lock)["line"], line_of("tests/e2e/programs/waits.cc", "std::lock_guard"));
  EXPECT_EQ((*lock)["function"], "main");
}

// The agent holds still until xbdbg has seen the new library: what its addresses mean never depends on timing.
TEST(Events, OfALibraryThatWasLoadedLaterHaveTheirNamesAndPlaces) {
  const auto events = parse_lines(event_lines(plugin_host(), "1"));
  const json* lock = find(events, "T0", "mutex_lock");  // called by the host: its line
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ((*lock)["object"], "plugin_lock");
  EXPECT_EQ((*lock)["function"], "main");
  EXPECT_EQ((*lock)["line"], line_of("tests/e2e/programs/plugin_host.c", "the host's line"));
  const json* own = find(events, "T1", "mutex_lock");  // nothing of the host is on the stack
  ASSERT_NE(own, nullptr);
  EXPECT_EQ((*own)["object"], "plugin_lock");
  EXPECT_EQ((*own)["function"], "plugin_worker");
  EXPECT_EQ((*own)["file"], "tests/e2e/programs/plugin.c");
  EXPECT_EQ((*own)["line"], line_of("tests/e2e/programs/plugin.c", "the worker's line"));
}

TEST(Events, OfAProgramThatLoadsALibraryAreTheSameInEveryRun) {
  const std::string first = event_lines(plugin_host(), "7");
  for (int run = 0; run < 5; ++run) ASSERT_EQ(event_lines(plugin_host(), "7"), first);
}

TEST(Events, OfANamedThreadCarryItsName) {
  const auto events = parse_lines(event_lines(plugin_host(), "1"));
  const json* lock = find(events, "T2", "mutex_lock");
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ((*lock)["name"], "plugin user");
  const json* start = find(events, "T2", "thread_start");  // before it had one
  ASSERT_NE(start, nullptr);
  EXPECT_FALSE(start->contains("name"));
  const json* inherited = find(events, "T3", "thread_start");  // a thread is named as the one that made it
  ASSERT_NE(inherited, nullptr);
  EXPECT_EQ((*inherited)["name"], "plugin user");
}

TEST(Events, OfSignalsNameTheSignal) {
  const auto events = parse_lines(event_lines(plugin_host(), "1"));
  const json* wait = find(events, "T0", "signal_wait");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ((*wait)["object"], "SIGTERM");
  EXPECT_EQ((*wait)["result"], 0);
  EXPECT_EQ((*wait)["function"], "wait_for_signal");
}

TEST(Events, OfTheEndOfTheProgramNameWhoCalledExit) {
  const auto events = parse_lines(event_lines(plugin_host(), "1"));
  const json* end = find(events, "T0", "process_exit");
  ASSERT_NE(end, nullptr);
  EXPECT_EQ((*end)["result"], 0);
  EXPECT_EQ((*end)["function"], "end_program");
  EXPECT_EQ((*end)["line"], line_of("tests/e2e/programs/plugin_host.c", "exit(status)"));
  const auto returning = events_of(program("ending"), "1");
  const json* returned = find(returning, "T0", "process_exit");
  ASSERT_NE(returned, nullptr);
  EXPECT_FALSE(returned->contains("function"));  // main has returned: nobody called it
}

TEST(Events, GoToStdoutWhenAsked) {
  const Outcome outcome = xbdbg({"run", "--events", "-", "--", program("ending")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_FALSE(parse_lines(outcome.out).empty());
}

}  // namespace
}  // namespace xbdbg::test
