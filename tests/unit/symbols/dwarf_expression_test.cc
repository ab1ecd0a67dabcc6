#include "tracer/symbols/dwarf_expression.h"

#include <gtest/gtest.h>

#include <map>

namespace xbdbg::test {
namespace {

class FakeMemory : public MemoryReader {
 public:
  std::map<std::uint64_t, std::uint64_t> words{};
  bool read(Addr address, std::span<std::byte> out) override {
    const auto word = words.find(address.raw());
    if (word == words.end() || out.size() > sizeof(word->second)) return false;
    std::memcpy(out.data(), &word->second, out.size());
    return true;
  }
};

class Expression : public testing::Test {
 protected:
  std::optional<std::uint64_t> run(std::initializer_list<int> bytes,
                                   std::optional<std::uint64_t> initial = std::nullopt) {
    std::string code;
    for (const int byte : bytes) code += static_cast<char>(byte);
    return evaluate_expression(code, {registers_, memory_, 0x1000, initial});
  }
  RegisterSet registers_;
  FakeMemory memory_;
};

TEST_F(Expression, PltRuleAddsEightInTheSecondHalfOfASlot) {
  // rsp + 8 + ((rip & 15) >= 11 ? 8 : 0): what the linker writes for .plt.
  const auto plt = [&] { return run({0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}); };
  registers_.set(Reg::rsp, 0x7000);
  registers_.set(Reg::rip, 0x4010);
  EXPECT_EQ(plt(), 0x7008u);
  registers_.set(Reg::rip, 0x401b);
  EXPECT_EQ(plt(), 0x7010u);
}

TEST_F(Expression, ReadsMemoryAndRegisters) {
  registers_.set(Reg::rbp, 0x5000);
  memory_.words[0x4ff0] = 0x1234567890;
  EXPECT_EQ(run({0x76, 0x70, 0x06}), 0x1234567890u);        // breg6 -16, deref
  EXPECT_EQ(run({0x76, 0x70, 0x94, 2}), 0x7890u);           // deref_size 2
  EXPECT_EQ(run({0x92, 0x06, 0x70, 0x06}), 0x1234567890u);  // bregx
  EXPECT_EQ(run({0x76, 0x00, 0x06}), std::nullopt);         // unreadable
  EXPECT_EQ(run({0x73, 0x00}), std::nullopt);               // rbx is not known
}

TEST_F(Expression, Arithmetic) {
  EXPECT_EQ(run({0x08, 200, 0x09, 0xff, 0x22}), 199u);                                // const1u const1s(-1) plus
  EXPECT_EQ(run({0x3a, 0x33, 0x1c}), 7u);                                             // 10 - 3
  EXPECT_EQ(run({0x09, 0xf8, 0x32, 0x1b}), static_cast<std::uint64_t>(-4));           // -8 / 2
  EXPECT_EQ(run({0x3a, 0x30, 0x1b}), std::nullopt);                                   // 10 / 0
  EXPECT_EQ(run({0x3a, 0x30, 0x1d}), std::nullopt);                                   // 10 % 0
  EXPECT_EQ(run({0x31, 0x08, 70, 0x24}), 0u);                                         // 1 << 70
  EXPECT_EQ(run({0x09, 0xf0, 0x08, 99, 0x26}), ~std::uint64_t{0});                    // -16 >> 99, arithmetic
  EXPECT_EQ(run({0x03, 1, 0, 0, 0, 0, 0, 0, 0}), 0x1001u);                            // addr: plus the bias
  EXPECT_EQ(run({0x23, 0x05}, 0x100), 0x105u);                                        // plus_uconst on the CFA
  EXPECT_EQ(run({0x31, 0x32, 0x33, 0x17, 0x1c}), static_cast<std::uint64_t>(1 - 2));  // rot: 3 1 2
  EXPECT_EQ(run({0x35, 0x1f, 0x19}), 5u);                                             // neg, abs
}

TEST_F(Expression, BranchesAndEndlessLoops) {
  EXPECT_EQ(run({0x31, 0x28, 0x02, 0x00, 0x32, 0x96, 0x37}), 7u);  // bra over lit2 nop
  EXPECT_EQ(run({0x2f, 0xfd, 0xff}), std::nullopt);                // skip -3: itself
  EXPECT_EQ(run({0x2f, 0x00, 0x80}), std::nullopt);                // before the start
}

TEST_F(Expression, MalformedOnesGiveNothing) {
  EXPECT_EQ(run({}), std::nullopt);
  EXPECT_EQ(run({0x22}), std::nullopt);        // plus on an empty stack
  EXPECT_EQ(run({0x0c, 1, 2}), std::nullopt);  // a constant cut short
  EXPECT_EQ(run({0xff}), std::nullopt);        // an unknown operation
}

}  // namespace
}  // namespace xbdbg::test
