// The commands that look after traces: ls, dump, pack, rm, and what they say about traces that are none.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

class Traces : public testing::Test {
 protected:
  Outcome in_store(const std::vector<std::string>& words) {
    return xbdbg(words, {.environment = {"XDG_DATA_HOME=" + dir_.path()}});
  }
  void record(const std::string& status = "0") {
    ASSERT_EQ(in_store({"record", "--", program("ending"), "exit", status}).status, std::stoi(status));
  }
  nlohmann::json list() {
    const Outcome listed = in_store({"ls", "--json"});
    EXPECT_EQ(listed.status, 0) << listed;
    return nlohmann::json::parse(listed.out);
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& said) {
    const Outcome refused = in_store(words);
    EXPECT_EQ(refused.status, 2) << refused;
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find(said), std::string::npos) << refused;
  }

  const TempDir dir_{};
  const std::string store_ = dir_ / "xbdbg";
};

TEST_F(Traces, AMissingStoreIsAnEmptyList) {
  EXPECT_EQ(in_store({"ls"}), (Outcome{.status = 0}));
  EXPECT_EQ(list(), nlohmann::json::array());
}

TEST_F(Traces, AreNumberedAndListedOldestFirst) {
  record("3");
  record("4");
  const nlohmann::json traces = list();
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0]["name"], "ending-1");
  EXPECT_EQ(traces[0]["value"], 3);
  EXPECT_EQ(traces[0]["latest"], false);
  EXPECT_EQ(traces[1]["name"], "ending-2");
  EXPECT_EQ(traces[1]["latest"], true);
  EXPECT_EQ(traces[1]["command"], (nlohmann::json{program("ending"), "exit", "4"}));
  const Outcome table = in_store({"ls"});
  EXPECT_EQ(table.status, 0);
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 3) << table;
  EXPECT_NE(table.out.find("ending-2 *"), std::string::npos) << table;
}

TEST_F(Traces, AreFoundByNameAndWithoutOneTheLatestIsMeant) {
  record("3");
  record("4");
  EXPECT_EQ(in_store({"replay"}).status, 4);
  EXPECT_EQ(in_store({"replay", "ending-1"}).status, 3);
  EXPECT_EQ(in_store({"replay", "ending"}).status, 4);
  EXPECT_EQ(in_store({"replay", store_ + "/ending-1"}).status, 3);
}

TEST_F(Traces, AreRemovedByName) {
  record();
  record();
  record();
  EXPECT_EQ(in_store({"rm", "ending-1", "ending-3"}), (Outcome{.status = 0}));
  ASSERT_EQ(list().size(), 1u);
  EXPECT_EQ(list()[0]["name"], "ending-2");
  const Outcome some = in_store({"rm", "nothing-1", "ending-2"});
  EXPECT_EQ(some.status, 2);
  EXPECT_NE(some.err.find("nothing-1"), std::string::npos) << some;
  EXPECT_EQ(list().size(), 0u) << "what can be removed is, whatever is wrong with the others";
}

TEST_F(Traces, OnlyTracesAreRemoved) {
  std::filesystem::create_directories(dir_ / "precious");
  dir_.file("precious/thing", "data");
  expect_refused({"rm", dir_ / "precious"}, "precious");
  EXPECT_TRUE(std::filesystem::exists(dir_ / "precious/thing"));
  expect_refused({"rm"}, "no trace given");
}

TEST_F(Traces, UnknownOnesAreAnErrorThatSaysWhatToDo) {
  for (const std::string command : {"replay", "dump", "pack"}) {
    expect_refused({command}, "hint:");
    expect_refused({command, "nothing-7"}, "nothing-7");
    expect_refused({command, "a", "b"}, "unexpected argument `b`");
    expect_refused({command, "/etc"}, "/etc");
  }
}

TEST_F(Traces, ADumpIsStableOneRecordALine) {
  record();
  const Outcome first = in_store({"dump"});
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(in_store({"dump"}), first);
  EXPECT_NE(first.out.find("mutex_lock"), std::string::npos);
  EXPECT_NE(first.out.find("\nend: exited with 0\n"), std::string::npos);
  const Outcome json = in_store({"dump", "--json"});
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n') + 1,
            std::count(first.out.begin(), first.out.end(), '\n'));
  std::istringstream lines(json.out);
  std::uint64_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    const auto record = nlohmann::json::parse(line);
    ASSERT_EQ(record["record"], number);
    ASSERT_TRUE(record["type"].is_string());
  }
}

TEST_F(Traces, ADamagedOneIsRefusedWithTheFileAndTheOffset) {
  record();
  const std::string journal = store_ + "/ending-1/journal";
  {
    std::fstream file(journal, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(journal) / 2));
    file.write("\xff\x00\xff\x00", 4);
  }
  expect_refused({"replay"}, journal);
  expect_refused({"dump"}, journal);
  std::filesystem::resize_file(journal, 3);
  expect_refused({"replay"}, journal);
  EXPECT_EQ(in_store({"ls"}).status, 0) << "a damaged trace does not hide the others";
  std::filesystem::resize_file(store_ + "/ending-1/meta.json", 20);
  expect_refused({"replay"}, "meta.json");
  EXPECT_EQ(in_store({"rm", "ending-1"}).status, 0);
}

}  // namespace
}  // namespace xbdbg::test
