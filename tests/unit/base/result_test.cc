#include "tracer/base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/expect_ok.h"
#include "tracer/base/clock.h"
#include "tracer/base/ids.h"

namespace xbdbg {
namespace {

Result<std::unique_ptr<int>> make(int value) {
  if (value < 0) return Error{Errc::bad_input, "negative", "use a positive number"};
  return std::make_unique<int>(value);
}

Result<int> doubled(int value) {
  XB_TRY(const std::unique_ptr<int> made, make(value));
  return *made * 2;
}

Result<> check_twice(int first, int second) {
  XB_CHECK(make(first));
  XB_CHECK(make(second));
  return Ok{};
}

TEST(Result, TryDefinesTheValueOrReturnsTheError) {
  EXPECT_EQ(*doubled(21), 42);
  EXPECT_ERROR(doubled(-1), Errc::bad_input, "negative");
}

TEST(Result, CheckReturnsTheFirstError) {
  EXPECT_OK(check_twice(1, 2));
  EXPECT_ERROR(check_twice(1, -2), Errc::bad_input, "negative");
}

TEST(Error, ContextSaysWhatTheCallerWasDoingAndKeepsTheHint) {
  const Error error = make(-1).error().context("read schedule");
  EXPECT_EQ(error.what, "read schedule: negative");
  EXPECT_EQ(error.hint, "use a positive number");
}

TEST(OsError, NamesTheAttemptAndTheReason) {
  EXPECT_EQ(os_error("open x", "", EACCES).what, "open x: Permission denied");
}

TEST(ResultDeathTest, TheValueOfAnErrorIsABugOfOurs) {
  const Result<int> result = Error{};
  EXPECT_DEATH((void)*result, "xbdbg: internal error");
}

TEST(Ids, AddressesTakeOffsetsAndDifferInBytes) {
  EXPECT_EQ(Addr(16) + 4, Addr(20));
  EXPECT_EQ(Addr(20) - Addr(16), 4u);
  EXPECT_LT(ThreadIndex(1), ThreadIndex(2));
}

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock;
  EXPECT_EQ(clock.now(), Clock::Time(0));
  clock.advance(std::chrono::milliseconds(2));
  EXPECT_EQ(clock.now(), std::chrono::milliseconds(2));
}

TEST(SystemClock, DoesNotGoBack) {
  const SystemClock clock;
  const auto before = clock.now();
  EXPECT_LE(before, clock.now());
}

}  // namespace
}  // namespace xbdbg
