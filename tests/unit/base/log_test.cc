#include "tracer/base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

TEST(LogFilter, WantsNothingByDefault) { EXPECT_FALSE(LogFilter().wants(LogLevel::error, "tracer")); }

TEST(LogFilter, OneLevelIsForEveryModule) {
  ASSERT_OK(filter, LogFilter::parse("debug"));
  EXPECT_TRUE(filter.wants(LogLevel::debug, "tracer"));
  EXPECT_TRUE(filter.wants(LogLevel::error, "anything"));
  EXPECT_FALSE(filter.wants(LogLevel::trace, "tracer"));
}

TEST(LogFilter, ModulesHaveTheirOwnLevels) {
  ASSERT_OK(filter, LogFilter::parse("tracer=debug, agent = trace"));
  EXPECT_TRUE(filter.wants(LogLevel::debug, "tracer"));
  EXPECT_FALSE(filter.wants(LogLevel::trace, "tracer"));
  EXPECT_TRUE(filter.wants(LogLevel::trace, "agent"));
  EXPECT_FALSE(filter.wants(LogLevel::error, "symbols"));
}

TEST(LogFilter, LaterEntriesWin) {
  ASSERT_OK(filter, LogFilter::parse("info,agent=off"));
  EXPECT_TRUE(filter.wants(LogLevel::info, "tracer"));
  EXPECT_FALSE(filter.wants(LogLevel::error, "agent"));
  ASSERT_OK(reset, LogFilter::parse("agent=off,info"));
  EXPECT_TRUE(reset.wants(LogLevel::info, "agent"));
}

TEST(LogFilter, OffIsNotALevelToLogAt) {
  ASSERT_OK(filter, LogFilter::parse("trace"));
  EXPECT_FALSE(filter.wants(LogLevel::off, "tracer"));
}

TEST(LogFilter, NamesTheEntryItDoesNotUnderstand) {
  for (const char* option : {"", "loud", "tracer=loud", "=debug", "tracer=", "debug,,trace"}) {
    EXPECT_ERROR(LogFilter::parse(option), Errc::bad_input, "is neither a level nor module=level") << option;
  }
  EXPECT_ERROR(LogFilter::parse("info,tracer=loud"), Errc::bad_input, "\"tracer=loud\"");
}

TEST(Logger, PassesOnlyWantedLinesAndOneLinePerCall) {
  std::vector<std::string> lines;
  const Logger log(*LogFilter::parse("tracer=debug"), [&](std::string_view line) { lines.emplace_back(line); });
  log.write(LogLevel::debug, "tracer", "one\ntwo");
  log.write(LogLevel::trace, "tracer", "no");
  log.write(LogLevel::error, "agent", "no");
  EXPECT_EQ(lines, std::vector<std::string>{"debug tracer: one\\ntwo"});
}

TEST(Logger, BuildsTheTextOnlyWhenItIsWanted) {
  int built = 0;
  const auto text = [&] { return std::to_string(++built); };
  const Logger silent;
  XB_LOG(silent, error, "tracer", text());
  EXPECT_EQ(built, 0);
  std::string last;
  const Logger log(*LogFilter::parse("info"), [&](std::string_view line) { last = line; });
  XB_LOG(log, debug, "tracer", text());
  EXPECT_EQ(built, 0);
  XB_LOG(log, info, "tracer", text());
  EXPECT_EQ(last, "info tracer: 1");
}

}  // namespace
}  // namespace xbdbg
