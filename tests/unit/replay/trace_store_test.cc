#include "replay/trace_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <thread>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/replay/sample_trace.h"

namespace xbdbg::test {
namespace {

namespace fs = std::filesystem;

class TraceStoreTest : public testing::Test {
 protected:
  // Records a trace of this program, whole; returns its directory.
  std::string record(const std::string& program, std::int64_t time = 0) const {
    TraceInfo info = sample_info();
    info.program.path = program;
    info.start_time_ns = time;
    auto writer = store_.create(info);
    EXPECT_OK(writer);
    EXPECT_OK(writer->finish({.kind = TraceEnding::Kind::exited, .value = 4}));
    return writer->directory();
  }

  TempDir temp_{};
  TraceStore store_{temp_ / "data/xbdbg"};
};

TEST_F(TraceStoreTest, LivesBelowTheDataHome) {
  ASSERT_OK(data, TraceStore::from_environment({"HOME=/home/u", "XDG_DATA_HOME=/data"}));
  EXPECT_EQ(data.root(), "/data/xbdbg");
  ASSERT_OK(home, TraceStore::from_environment({"HOME=/home/u", "XDG_DATA_HOME=relative"}));
  EXPECT_EQ(home.root(), "/home/u/.local/share/xbdbg");
  EXPECT_ERROR(TraceStore::from_environment({}), Errc::bad_input, "HOME");
}

TEST_F(TraceStoreTest, NumbersTracesByProgramAndPointsToTheLatest) {
  EXPECT_EQ(record("/bin/bank"), store_.root() + "/bank-1");
  EXPECT_EQ(record("/bin/bank"), store_.root() + "/bank-2");
  EXPECT_EQ(record("/bin/odd name"), store_.root() + "/odd_name-1");
  EXPECT_EQ(*store_.resolve(""), store_.root() + "/odd_name-1");
  EXPECT_EQ(*store_.resolve("latest"), store_.root() + "/odd_name-1");
  EXPECT_EQ(*store_.resolve("bank-1"), store_.root() + "/bank-1");
  EXPECT_EQ(*store_.resolve("bank"), store_.root() + "/bank-2") << "the last one of the program";
  EXPECT_EQ(*store_.resolve(store_.root() + "/bank-1/"), store_.root() + "/bank-1");
  EXPECT_ERROR(store_.resolve("bank-3"), Errc::not_found, "bank-3");
  EXPECT_ERROR(store_.resolve("/no/such"), Errc::not_found, "/no/such");
}

TEST_F(TraceStoreTest, AnEmptyStoreSaysSo) {
  EXPECT_ERROR(store_.resolve(""), Errc::not_found, "there is none");
  ASSERT_OK(none, store_.list());
  EXPECT_TRUE(none.empty());
}

TEST_F(TraceStoreTest, RecordingsThatBeginAtTheSameTimeGetTheirOwnNumbers) {
  constexpr int kThreads = 4, kEach = 10;
  std::vector<std::set<std::string>> made(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < kEach; ++n) made[static_cast<std::size_t>(i)].insert(record("/bin/bank"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& names : made) all.insert(names.begin(), names.end());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach));
}

TEST_F(TraceStoreTest, ListsWholeUnfinishedAndDamagedTracesOldestFirst) {
  record("/bin/bank", 2000);
  record("/bin/older", 1000);
  write_file(record("/bin/damaged", 0) + "/meta.json", "{");
  TraceInfo info = sample_info();
  info.program.path = "/bin/bank";
  info.start_time_ns = 3000;
  const auto writer = store_.create(info);
  ASSERT_TRUE(is_ok(writer));
  fs::create_directories(store_.root() + "/something else");
  ASSERT_OK(traces, store_.list());
  ASSERT_EQ(traces.size(), 4u);
  EXPECT_EQ(traces[0].name, "damaged-1");
  EXPECT_NE(traces[0].problem.find("meta.json"), std::string::npos);
  EXPECT_EQ(traces[1].name, "older-1");
  EXPECT_EQ(traces[2].name, "bank-1");
  EXPECT_TRUE(traces[2].complete);
  EXPECT_FALSE(traces[2].latest);
  EXPECT_GT(traces[2].bytes, 0u);
  EXPECT_EQ(traces[2].info->argv, sample_info().argv);
  EXPECT_EQ(describe_ending(*traces[2].ending), "exited with 4");
  EXPECT_EQ(traces[3].name, "bank-2");
  EXPECT_EQ(traces[3].directory, store_.root() + "/bank-2.incomplete");
  EXPECT_FALSE(traces[3].complete);
  EXPECT_TRUE(traces[3].recording);
  EXPECT_TRUE(traces[3].latest) << "begun last";
}

TEST_F(TraceStoreTest, AnUnfinishedTraceIsFoundByItsName) {
  TraceInfo info = sample_info();
  EXPECT_OK(store_.create(info));
  EXPECT_EQ(*store_.resolve("bank-1"), store_.root() + "/bank-1.incomplete");
  EXPECT_EQ(*store_.resolve(""), store_.root() + "/bank-1.incomplete");
  ASSERT_OK(traces, store_.list());
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_FALSE(traces[0].recording) << "its writer is gone";
}

TEST_F(TraceStoreTest, RemovesOnlyTraces) {
  const std::string first = record("/bin/bank", 1000);
  const std::string second = record("/bin/bank", 2000);
  const std::string folder = temp_ / "folder";
  fs::create_directories(folder);
  EXPECT_ERROR(store_.remove(folder), Errc::refused, "not a trace");
  EXPECT_ERROR(store_.remove(store_.root() + "/latest"), Errc::refused, "a link");
  write_file(first + "/precious", "of the user");
  EXPECT_ERROR(store_.remove(first), Errc::refused, "precious");
  fs::remove(first + "/precious");
  EXPECT_OK(store_.remove(second));
  EXPECT_FALSE(fs::exists(second));
  EXPECT_EQ(*store_.resolve(""), first) << "the latest of those that are left";
  EXPECT_OK(store_.remove(first));
  EXPECT_ERROR(store_.resolve(""), Errc::not_found, "there is none");
}

TEST_F(TraceStoreTest, DoesNotRemoveATraceThatIsBeingRecorded) {
  ASSERT_OK(writer, store_.create(sample_info()));
  EXPECT_ERROR(store_.remove(writer.directory()), Errc::refused, "being recorded");
}

}  // namespace
}  // namespace xbdbg::test
