#include "ui-tui/trace_list.h"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

namespace xbdbg {
namespace {

std::vector<StoredTrace> some_traces() {
  StoredTrace whole;
  whole.name = "bank-1";
  whole.directory = "/s/bank-1";
  whole.complete = true;
  whole.bytes = 12'345;
  whole.info = TraceInfo{.argv = {"./bank", "two words", ""}};
  whole.ending = TraceEnding{.kind = TraceEnding::Kind::killed, .value = SIGSEGV, .events = 7};
  StoredTrace cut;
  cut.name = "bank-2";
  cut.directory = "/s/bank-2.incomplete";
  cut.latest = true;
  cut.bytes = 812;
  cut.info = TraceInfo{.argv = {"./bank"}};
  StoredTrace damaged;
  damaged.name = "x-1";
  damaged.directory = "/s/x-1";
  damaged.complete = true;
  damaged.problem = "meta.json: \x1b[31mnonsense";
  return {whole, cut, damaged};
}

TEST(TraceList, IsATableWithAlignedColumns) {
  ::setenv("TZ", "UTC", 1);
  EXPECT_EQ(format_trace_list(some_traces()),
            "NAME       SIZE  RECORDED             ENDING             COMMAND\n"
            "bank-1    12 kB  1970-01-01 00:00:00  killed by SIGSEGV  ./bank \"two words\" \"\"\n"
            "bank-2 *  812 B  1970-01-01 00:00:00  incomplete         ./bank\n"
            "x-1         0 B  ?                    damaged            meta.json: \\x1b[31mnonsense\n");
  EXPECT_EQ(format_trace_list({}), "");
}

TEST(TraceList, IsAnArrayInJson) {
  const auto list = nlohmann::json::parse(trace_list_json(some_traces()));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["name"], "bank-1");
  EXPECT_EQ(list[0]["command"][1], "two words");
  EXPECT_EQ(list[0]["ending"], "killed");
  EXPECT_EQ(list[0]["value"], SIGSEGV);
  EXPECT_EQ(list[1]["latest"], true);
  EXPECT_FALSE(list[1].contains("ending"));
  EXPECT_TRUE(list[2].contains("problem"));
  EXPECT_EQ(trace_list_json({}), "[]\n");
}

TEST(TraceList, BytesThatAreNoTextAreStillJson) {
  auto traces = some_traces();
  traces[0].info->argv = {"\xff\xfe"};
  EXPECT_TRUE(nlohmann::json::accept(trace_list_json(traces)));
}

TEST(FormatBytes, HasTwoDigitsOrMore) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(12'345), "12 kB");
  EXPECT_EQ(format_bytes(999'600), "1.0 MB");
  EXPECT_EQ(format_bytes(3'400'000'000), "3.4 GB");
}

}  // namespace
}  // namespace xbdbg
