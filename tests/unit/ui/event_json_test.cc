#include "ui-tui/event_json.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>

#include "ui-tui/operations.h"

namespace xbdbg {
namespace {

using agent::Operation;

TEST(EventJson, HasAllFieldsInAFixedOrder) {
  const std::string site = site_json({.function = "transfer", .file = "bank.c", .line = 21});
  std::string out;
  append_event_json(out, {.index = 7,
                          .thread = 1,
                          .thread_name = "worker",
                          .operation = Operation::cond_wait,
                          .object = "full",
                          .mutex = "lock_a",
                          .result = ETIMEDOUT,
                          .site = site});
  EXPECT_EQ(out,
            "{\"index\":7,\"thread\":\"T1\",\"name\":\"worker\",\"op\":\"cond_wait\",\"object\":\"full\",\"mutex\":"
            "\"lock_a\","
            "\"result\":\"ETIMEDOUT\",\"function\":\"transfer\",\"file\":\"bank.c\",\"line\":21}\n");
}

TEST(EventJson, LeavesOutWhatIsNotKnown) {
  std::string out;
  append_event_json(out, {.index = 0, .operation = Operation::yield});
  EXPECT_EQ(out, "{\"index\":0,\"thread\":\"T0\",\"op\":\"yield\",\"result\":0}\n");
}

TEST(EventJson, TheResultOfAnExitIsItsStatus) {
  std::string out;
  append_event_json(out, {.operation = Operation::process_exit, .result = 3});
  EXPECT_EQ(out, "{\"index\":0,\"thread\":\"T0\",\"op\":\"process_exit\",\"result\":3}\n");
}

TEST(EventJson, StaysJsonWhateverTheNamesAre) {
  const std::string site = site_json({.function = "a\"b\\c\n", .file = "\xff\xfe", .line = 1});
  std::string out;
  append_event_json(out, {.thread_name = "\x01", .object = "operator\"\"_x", .site = site});
  const auto parsed = nlohmann::json::parse(out);
  EXPECT_EQ(parsed["function"], "a\"b\\c\n");
  EXPECT_EQ(parsed["object"], "operator\"\"_x");
}

TEST(Operations, ResultsHaveTheNamesOfErrno) {
  EXPECT_EQ(result_name(Operation::mutex_trylock, EBUSY), "EBUSY");
  EXPECT_EQ(result_name(Operation::mutex_trylock, 0), "0");
  EXPECT_EQ(result_name(Operation::barrier_wait, -1), "PTHREAD_BARRIER_SERIAL_THREAD");
  EXPECT_EQ(result_name(Operation::mutex_lock, 99999), "99999");
}

TEST(SignalName, IsWhatProgramsCallIt) {
  EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
  EXPECT_EQ(signal_name(SIGRTMIN + 3), "SIGRTMIN+3");
  EXPECT_EQ(signal_name(12345), "signal 12345");
}

TEST(Operations, ADamagedOperationIsUnknown) {
  EXPECT_EQ(operation_info(static_cast<Operation>(255)).name, "unknown");
  EXPECT_EQ(operation_info(Operation::process_exit).name, "process_exit");
}

}  // namespace
}  // namespace xbdbg
