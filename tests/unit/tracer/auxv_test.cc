#include "tracer/auxv.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <vector>

namespace xbdbg {
namespace {

using Words = std::vector<std::uint64_t>;

const Words kStack = {2,       0x100, 0x200,           0,  // argc, argv
                      0x300,   0,                          // environment
                      AT_PHDR, 7,     AT_SYSINFO_EHDR, 0x7000, AT_RANDOM, 0x900, AT_NULL, 0};

TEST(Auxv, FindsArgumentsEnvironmentAndEntries) {
  const auto stack = parse_start_stack(kStack, Addr(0x10000));
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->argv, (std::vector{Addr(0x100), Addr(0x200)}));
  EXPECT_EQ(stack->env, (std::vector{Addr(0x300)}));
  EXPECT_EQ(stack->auxv, (std::vector<AuxvEntry>{{AT_PHDR, 7}, {AT_SYSINFO_EHDR, 0x7000}, {AT_RANDOM, 0x900}}));
  EXPECT_EQ(stack->place(1), Addr(0x10000 + 8 * 8));
  EXPECT_EQ(stack->value(AT_RANDOM), 0x900);
  EXPECT_FALSE(stack->value(AT_BASE));
}

TEST(Auxv, NoArgumentsAndNoEnvironmentIsFine) {
  const auto stack = parse_start_stack(Words{0, 0, 0, AT_RANDOM, 0x900, AT_NULL, 0}, Addr(0));
  ASSERT_TRUE(stack);
  EXPECT_TRUE(stack->argv.empty());
  EXPECT_TRUE(stack->env.empty());
  EXPECT_EQ(stack->value(AT_RANDOM), 0x900);
}

TEST(Auxv, EveryTruncationAsksForMore) {
  for (std::size_t n = 0; n + 1 < kStack.size(); ++n) {
    EXPECT_FALSE(parse_start_stack(std::span(kStack).first(n), Addr(0))) << n << " words";
  }
}

}  // namespace
}  // namespace xbdbg
