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

std::vector<json> events_of(const std::vector<std::string>& command) {
  const TempDir dir;
  std::vector<std::string> words = {"run", "--events", dir / "events", "--"};
  words.insert(words.end(), command.begin(), command.end());
  const Outcome outcome = xbdbg(words, {.folder = XB_SOURCE_DIR});
  EXPECT_EQ(outcome.status, 0) << outcome;
  return parse_lines(contents(dir / "events"));
}

const json* find(const std::vector<json>& events, const std::string& thread, const std::string& op) {
  for (const json& event : events) {
    if (event["thread"] == thread && event["op"] == op) return &event;
  }
  return nullptr;
}

TEST(Events, AreNumberedAndHaveAThreadAnOperationAndAResult) {
  const auto events = events_of({program("ending")});
  ASSERT_FALSE(events.empty());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i]["index"], i);
    EXPECT_TRUE(events[i]["thread"].is_string() && events[i]["op"].is_string() && events[i].contains("result"));
  }
}

TEST(Events, NameObjectFunctionFileAndLine) {
  const auto events = events_of({program("ending")});
  const json* lock = find(events, "T1", "mutex_lock");
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ((*lock)["object"], "lock");
  EXPECT_EQ((*lock)["function"], "worker");
  EXPECT_EQ((*lock)["file"], "tests/e2e/programs/ending.c");
  EXPECT_EQ((*lock)["line"], 17);
  EXPECT_EQ((*lock)["result"], 0);
  const json* create = find(events, "T0", "thread_create");
  ASSERT_NE(create, nullptr);
  EXPECT_EQ((*create)["object"], "T1");
  EXPECT_EQ((*create)["function"], "main");
}

TEST(Events, OfALibraryAreThoseOfTheProgramsLineThatCalledIt) {
  const auto events = events_of({program("waits")});
  const json* wait = find(events, "T1", "cond_wait");
  if (wait == nullptr) wait = find(events, "T1", "cond_wake");
  ASSERT_NE(wait, nullptr) << "the default policy starts the thread only after main has signalled";
  EXPECT_EQ((*wait)["file"], "tests/e2e/programs/waits.cc");
  EXPECT_EQ((*wait)["object"], "pool.ready");
  EXPECT_EQ((*wait)["mutex"], "pool.lock");
}

TEST(Events, GoToStdoutWhenAsked) {
  const Outcome outcome = xbdbg({"run", "--events", "-", "--", program("ending")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_FALSE(parse_lines(outcome.out).empty());
}

}  // namespace
}  // namespace xbdbg::test
