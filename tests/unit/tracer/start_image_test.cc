#include "tracer/start_image.h"

#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

StartImage example() {
  return {.executable = "/usr/bin/python3.11",
          .name = "./script",
          .argv = {"/usr/bin/python3", "./script", ""},
          .env = {"A=1", "LD_PRELOAD=/proc/self/fd/1001", "\xff=\x80"},
          .auxv = {{6, 4096}, {31, 0x7fffffffefe0}},
          .working_directory = "/tmp",
          .stack_pointer = 0x7fffffffe000,
          .stack_limit = 8u << 20,
          .personality = 0x40000};
}

TEST(StartImage, SurvivesEncoding) {
  ASSERT_OK(decoded, decode_start(encode_start(example())));
  EXPECT_EQ(decoded, example());
}

TEST(StartImage, EveryTruncationAndEveryTailIsRefused) {
  const std::string bytes = encode_start(example());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_ERROR(decode_start(std::string_view(bytes).substr(0, n)), Errc::bad_input, "start of a program");
  }
  EXPECT_ERROR(decode_start(bytes + "x"), Errc::bad_input, "start of a program");
}

TEST(StartImage, CountsThatCannotBeAreRefusedBeforeAnythingIsAllocated) {
  StartImage start;
  std::string bytes = encode_start(start);
  bytes.replace(4, 1, "\xff\xff\xff\xff\x7f");  // how many arguments
  EXPECT_ERROR(decode_start(bytes), Errc::bad_input, "arguments");
}

TEST(StartImage, ATextWithAZeroInItIsRefused) {
  StartImage start = example();
  start.env.push_back(std::string("A=\0B", 4));
  EXPECT_ERROR(decode_start(encode_start(start)), Errc::bad_input, "environment");
}

}  // namespace
}  // namespace xbdbg
