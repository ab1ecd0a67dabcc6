#include "tracer/base/str.h"

#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,b", ','), (Parts{"a", "b"}));
  EXPECT_EQ(split(",a,,", ','), (Parts{"", "a", "", ""}));
  EXPECT_EQ(split("", ','), Parts{""});
}

TEST(Trim, RemovesBlanksAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(ParseU64, TakesWholeNumbersUpToTheLast) {
  EXPECT_EQ(*parse_u64("0"), 0u);
  EXPECT_EQ(*parse_u64("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(*parse_u64("fF", "x", 16), 255u);
}

TEST(ParseU64, RefusesEverythingElse) {
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "0x1", "1a", "1.0"}) {
    EXPECT_ERROR(parse_u64(text, "--seed"), Errc::bad_input, "--seed: " + quoted(text) + " is not a number");
  }
  EXPECT_ERROR(parse_u64("18446744073709551616"), Errc::bad_input, "does not fit in 64 bits");
  EXPECT_ERROR(parse_u64("0x1", "address", 16), Errc::bad_input, "address: \"0x1\"");
}

TEST(Hex, RoundTripsAllBytes) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(to_hex(all).substr(0, 8), "00010203");
  EXPECT_EQ(*from_hex(to_hex(all)), all);
  EXPECT_EQ(*from_hex("0aFF"), "\x0a\xff");
}

TEST(FromHex, SaysWhereItIsWrong) {
  EXPECT_ERROR(from_hex("abc"), Errc::bad_input, "odd number of digits (3)");
  EXPECT_ERROR(from_hex("0g"), Errc::bad_input, "position 1");
  EXPECT_ERROR(from_hex("-1"), Errc::bad_input, "position 0");
}

TEST(Quoted, EscapesWhatATerminalWouldInterpret) {
  EXPECT_EQ(quoted("a \"b\" \\ c"), R"("a \"b\" \\ c")");
  EXPECT_EQ(quoted("\x1b[31m\n\t\x7f\xc3"), R"("\x1b[31m\n\t\x7f\xc3")");
}

}  // namespace
}  // namespace xbdbg
