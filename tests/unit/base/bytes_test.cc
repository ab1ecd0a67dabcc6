#include "tracer/base/bytes.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

using namespace std::string_view_literals;

TEST(ByteWriter, WritesLittleEndian) {
  ByteWriter out;
  out.u8(0x01);
  out.u16(0x0302);
  out.u32(0x07060504);
  out.u64(0x0f0e0d0c0b0a0908);
  EXPECT_EQ(out.bytes(), "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"sv);
}

TEST(Bytes, EveryFieldComesBackAsItWasWritten) {
  ByteWriter out;
  out.u8(0xff);
  out.u16(0xfedc);
  out.u32(0xfedcba98);
  out.u64(0xfedcba9876543210);
  out.string("h\0llo"sv);
  out.raw("raw");
  const std::string bytes = std::move(out).take();
  ByteReader in(bytes, "test");
  EXPECT_EQ(*in.u8("a"), 0xff);
  EXPECT_EQ(*in.u16("b"), 0xfedc);
  EXPECT_EQ(*in.u32("c"), 0xfedcba98);
  EXPECT_EQ(*in.u64("d"), 0xfedcba9876543210);
  EXPECT_EQ(*in.string("e", 5), "h\0llo"sv);
  EXPECT_EQ(in.remaining(), 3u);
  EXPECT_EQ(*in.raw("f", 3), "raw");
  EXPECT_EQ(in.offset(), bytes.size());
  EXPECT_OK(in.expect_end());
}

class Varint : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Varint, ComesBackAsItWasWritten) {
  ByteWriter out;
  out.varint(GetParam());
  ByteReader in(out.bytes(), "test");
  EXPECT_EQ(*in.varint("n"), GetParam());
  EXPECT_OK(in.expect_end());
}

INSTANTIATE_TEST_SUITE_P(AroundTheByteLimits, Varint,
                         testing::Values(0, 1, 127, 128, 16383, 16384, 1ULL << 62, 1ULL << 63,
                                         std::numeric_limits<std::uint64_t>::max()));

TEST(ByteWriter, VarintIsLeb128) {
  ByteWriter out;
  out.varint(624485);
  EXPECT_EQ(out.bytes(), "\xe5\x8e\x26"sv);
}

TEST(ByteReader, NamesFieldAndOffsetOfAShortRead) {
  ByteReader in("\x01\x02\x03", "schedule");
  ASSERT_TRUE(in.u8("kind"));
  EXPECT_ERROR(in.u32("count"), Errc::bad_input, "schedule: count at offset 1: needs 4 bytes, 2 are left");
  EXPECT_EQ(in.offset(), 1u) << "a failed read does not move";
}

TEST(ByteReader, RefusesVarintsThatDoNotFitOrAreCutShort) {
  const std::string ten_bytes(9, '\xff');
  EXPECT_ERROR(ByteReader(ten_bytes + '\x02', "t").varint("n"), Errc::bad_input, "n at offset 0: number larger");
  EXPECT_ERROR(ByteReader(ten_bytes + "\xff\x01", "t").varint("n"), Errc::bad_input, "number larger");
  EXPECT_ERROR(ByteReader("\x80", "t").varint("n"), Errc::bad_input, "n at offset 1: needs 1 bytes");
}

TEST(ByteReader, RefusesASecondSpellingOfANumber) {
  EXPECT_ERROR(ByteReader("\x80\x00"sv, "t").varint("n"), Errc::bad_input, "not in its shortest form");
}

TEST(ByteReader, RefusesAStringOverTheLimitEvenIfItIsThere) {
  ByteWriter out;
  out.string("12345");
  EXPECT_ERROR(ByteReader(out.bytes(), "t").string("s", 4), Errc::bad_input, "length 5 is over the limit of 4");
}

TEST(ByteReader, AStringThatClaimsToBeHugeAllocatesNothing) {
  ByteWriter out;
  out.varint(std::numeric_limits<std::uint64_t>::max());
  const std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  EXPECT_ERROR(ByteReader(out.bytes(), "t").string("s", no_limit), Errc::bad_input, "0 are left");
}

TEST(ByteReader, TrailingBytesAreAnError) {
  ByteReader in("xyz", "schedule");
  ASSERT_TRUE(in.u8("kind"));
  EXPECT_ERROR(in.expect_end(), Errc::bad_input, "schedule: end at offset 1: 2 bytes too many");
}

}  // namespace
}  // namespace xbdbg
