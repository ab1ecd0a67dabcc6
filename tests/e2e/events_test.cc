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

std::vector<json> events_of(const std::string& path, const std::string& seed) {
  const TempDir dir;
  const Outcome outcome =
      xbdbg({"run", "--seed", seed, "--events", dir / "events", "--", path}, {.folder = XB_SOURCE_DIR});
  EXPECT_EQ(outcome.status, 0) << outcome;
  return parse_lines(contents(dir / "events"));
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

TEST(Events, GoToStdoutWhenAsked) {
  const Outcome outcome = xbdbg({"run", "--events", "-", "--", program("ending")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_FALSE(parse_lines(outcome.out).empty());
}

}  // namespace
}  // namespace xbdbg::test
