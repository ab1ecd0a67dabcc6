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

TEST(Auxv, FindsVdsoEntryAndRandomBytes) {
  const auto places = find_in_auxv(kStack, Addr(0x10000));
  ASSERT_TRUE(places);
  EXPECT_EQ(places->vdso_type, Addr(0x10000 + 8 * 8));
  EXPECT_EQ(places->random_bytes, Addr(0x900));
}

TEST(Auxv, NoArgumentsAndNoEnvironmentIsFine) {
  const auto places = find_in_auxv(Words{0, 0, 0, AT_RANDOM, 0x900, AT_NULL, 0}, Addr(0));
  ASSERT_TRUE(places);
  EXPECT_FALSE(places->vdso_type);
  EXPECT_EQ(places->random_bytes, Addr(0x900));
}

TEST(Auxv, EveryTruncationAsksForMore) {
  for (std::size_t n = 0; n + 1 < kStack.size(); ++n) {
    EXPECT_FALSE(find_in_auxv(std::span(kStack).first(n), Addr(0))) << n << " words";
  }
}

}  // namespace
}  // namespace xbdbg
