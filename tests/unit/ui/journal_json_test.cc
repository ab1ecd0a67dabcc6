#include "ui-tui/journal_json.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

namespace xbdbg {
namespace {

class JournalJson : public testing::Test {
 protected:
  template <class Record>
  void put(const Record& record, std::string_view behind = {}) {
    const auto* from = reinterpret_cast<const std::byte*>(&record);
    journal_.insert(journal_.end(), from, from + sizeof record);
    for (const char c : behind) journal_.push_back(static_cast<std::byte>(c));
  }

  std::vector<nlohmann::json> lines() {
    std::vector<nlohmann::json> found;
    JournalCursor cursor(journal_);
    for (auto there = cursor.next(); there && *there; there = cursor.next()) {
      const std::string line = journal_json(cursor.entry());
      EXPECT_EQ(line.find('\n'), std::string::npos);
      found.push_back(nlohmann::json::parse(line));
    }
    EXPECT_EQ(cursor.offset(), journal_.size());
    return found;
  }

  std::vector<std::byte> journal_{};
};

TEST_F(JournalJson, EveryTypeOfRecordIsOneValidLine) {
  using agent::JournalType;
  agent::JournalStart start{};
  start.type = JournalType::start;
  put(start);
  put(agent::JournalThread{.type = JournalType::thread, .reserved = {}, .index = 2});
  put(agent::JournalEvent{JournalType::event, agent::Operation::mutex_lock, -3, 0x40, 0x99});
  agent::JournalCall call{};
  call.type = JournalType::call;
  call.number = 1;
  put(call);
  put(agent::JournalValue{JournalType::value, {}, 77});
  put(agent::JournalChoice{JournalType::choice, agent::ChoiceKind::waiter, 3, 2, 5});
  agent::JournalSignal signal{};
  signal.type = JournalType::signal;
  signal.signo = 2;
  put(signal);
  agent::JournalPreemption preemption{};
  preemption.type = JournalType::preemption;
  preemption.forced = 1;
  put(preemption);
  put(agent::JournalStateHash{JournalType::state_hash, {}, 9});
  put(agent::JournalFault{JournalType::fault, 11, {}, 5, 6});
  put(agent::JournalKernel{JournalType::kernel, 0, 0, sizeof(agent::JournalWrite) + 4, 4});
  put(agent::JournalWrite{0x1000, 4}, "data");
  const auto found = lines();
  const char* const types[] = {"start",  "thread",     "event",      "call",  "value", "choice",
                               "signal", "preemption", "state_hash", "fault", "kernel"};
  ASSERT_EQ(found.size(), std::size(types));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]["record"], i);
    EXPECT_EQ(found[i]["type"], types[i]);
    EXPECT_TRUE(found[i]["text"].is_string());
  }
  EXPECT_EQ(found[2]["thread"], "T2");
  EXPECT_EQ(found[2]["op"], "mutex_lock");
  EXPECT_EQ(found[2]["result"], -3);
  EXPECT_EQ(found[10]["writes"][0]["size"], 4);
}

}  // namespace
}  // namespace xbdbg
