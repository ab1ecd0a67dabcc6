// tests/support/expect_ok.h — say what the error was when a Result should have been a value.
//
//   EXPECT_OK(write_all(fd, "x"));
//   ASSERT_OK(content, read_whole_file(path, 100));        // defines `content`, or ends the test
//   EXPECT_ERROR(parse_u64("x"), Errc::bad_input, "'x'");   // code, and a part of `what`
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tracer/base/result.h"

namespace xbdbg::test {

template <class T>
testing::AssertionResult is_ok(const Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "error: " << result.error().what << " (hint: " << result.error().hint << ")";
}

template <class T>
testing::AssertionResult is_error(const Result<T>& result, Errc code, const std::string& part) {
  if (result) return testing::AssertionFailure() << "no error";
  const Error& error = result.error();
  if (error.code == code && error.what.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "error " << static_cast<int>(error.code) << ": " << error.what;
}

}  // namespace xbdbg::test

#define EXPECT_OK(expr) EXPECT_TRUE(::xbdbg::test::is_ok(expr))
#define ASSERT_OK(name, expr)                                       \
  auto XB_CAT(xb_ok_, name) = (expr);                               \
  ASSERT_TRUE(::xbdbg::test::is_ok(XB_CAT(xb_ok_, name))) << #expr; \
  auto& name = *XB_CAT(xb_ok_, name)
#define EXPECT_ERROR(expr, code, part) EXPECT_TRUE(::xbdbg::test::is_error(expr, code, part))
