#include "tracer/symbols/disassembler.h"

#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"

namespace xbdbg::test {
namespace {

class DisassemblerTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<Disassembler> created = Disassembler::create();
    ASSERT_TRUE(is_ok(created));
    disassembler_.emplace(*std::move(created));
  }
  Result<Instruction> decode(std::initializer_list<int> bytes) {
    std::vector<std::byte> code;
    for (const int byte : bytes) code.push_back(static_cast<std::byte>(byte));
    return disassembler_->decode(code, Addr(0x1000));
  }
  std::optional<Disassembler> disassembler_;
};

TEST_F(DisassemblerTest, TellsCallsReturnsAndBranchesApart) {
  ASSERT_OK(call, decode({0xe8, 0x10, 0, 0, 0}));
  EXPECT_EQ(call.length, 5u);
  EXPECT_TRUE(call.is_call);
  EXPECT_FALSE(call.is_branch);
  EXPECT_EQ(call.target, Addr(0x1015));
  ASSERT_OK(jump, decode({0xeb, 0xfe}));
  EXPECT_TRUE(jump.is_branch);
  EXPECT_FALSE(jump.is_conditional);
  EXPECT_EQ(jump.target, Addr(0x1000));
  ASSERT_OK(conditional, decode({0x75, 0x02}));
  EXPECT_TRUE(conditional.is_branch);
  EXPECT_TRUE(conditional.is_conditional);
  EXPECT_EQ(conditional.target, Addr(0x1004));
  ASSERT_OK(ret, decode({0xc3}));
  EXPECT_TRUE(ret.is_return);
  EXPECT_FALSE(ret.is_branch);
  ASSERT_OK(indirect, decode({0xff, 0xd0}));  // call *%rax
  EXPECT_TRUE(indirect.is_call);
  EXPECT_EQ(indirect.target, std::nullopt);
}

TEST_F(DisassemblerTest, SaysWhichMemoryIsReadAndWritten) {
  ASSERT_OK(load, decode({0x8b, 0x44, 0x8b, 0x10}));  // mov 0x10(%rbx,%rcx,4),%eax
  EXPECT_EQ(load.text, "movl 0x10(%rbx, %rcx, 4), %eax");
  ASSERT_EQ(load.memory.size(), 1u);
  EXPECT_EQ(load.memory[0].base, Reg::rbx);
  EXPECT_EQ(load.memory[0].index, Reg::rcx);
  EXPECT_EQ(load.memory[0].scale, 4);
  EXPECT_EQ(load.memory[0].displacement, 0x10);
  EXPECT_EQ(load.memory[0].size, 4);
  EXPECT_TRUE(load.memory[0].is_read);
  EXPECT_FALSE(load.memory[0].is_written);
  ASSERT_OK(store, decode({0x48, 0x89, 0x07}));  // mov %rax,(%rdi)
  ASSERT_EQ(store.memory.size(), 1u);
  EXPECT_EQ(store.memory[0].size, 8);
  EXPECT_FALSE(store.memory[0].is_read);
  EXPECT_TRUE(store.memory[0].is_written);
  ASSERT_OK(test, decode({0x80, 0x3d, 0x01, 0, 0, 0, 0x00}));  // cmpb $0,0x1(%rip)
  ASSERT_EQ(test.memory.size(), 1u);
  EXPECT_TRUE(test.memory[0].is_read);
  EXPECT_FALSE(test.memory[0].is_written);
  EXPECT_EQ(effective_address(test, test.memory[0], RegisterSet()), Addr(0x1000 + 7 + 1));
}

TEST_F(DisassemblerTest, KnowsAtomicOperations) {
  ASSERT_OK(exchange, decode({0xf0, 0x0f, 0xb1, 0x0f}));  // lock cmpxchg %ecx,(%rdi)
  EXPECT_TRUE(exchange.is_atomic);
  ASSERT_EQ(exchange.memory.size(), 1u);
  EXPECT_TRUE(exchange.memory[0].is_read);
  EXPECT_TRUE(exchange.memory[0].is_written);
  ASSERT_OK(swap, decode({0x87, 0x07}));  // xchg %eax,(%rdi): locks without a prefix
  EXPECT_TRUE(swap.is_atomic);
  ASSERT_OK(add, decode({0x83, 0x07, 0x01}));  // addl $1,(%rdi)
  EXPECT_FALSE(add.is_atomic);
  EXPECT_TRUE(add.memory[0].is_read);
  EXPECT_TRUE(add.memory[0].is_written);
}

TEST_F(DisassemblerTest, KnowsVectorStores) {
  ASSERT_OK(store, decode({0xc5, 0xfe, 0x7f, 0x07}));  // vmovdqu %ymm0,(%rdi)
  ASSERT_EQ(store.memory.size(), 1u);
  EXPECT_EQ(store.memory[0].size, 32);
  EXPECT_FALSE(store.memory[0].is_read);
  EXPECT_TRUE(store.memory[0].is_written);
  ASSERT_OK(load, decode({0xc5, 0xfe, 0x6f, 0x07}));  // vmovdqu (%rdi),%ymm0
  EXPECT_TRUE(load.memory.at(0).is_read);
  EXPECT_FALSE(load.memory.at(0).is_written);
}

TEST_F(DisassemblerTest, AddressesAreNotAccesses) {
  ASSERT_OK(lea, decode({0x48, 0x8d, 0x04, 0x8b}));
  EXPECT_TRUE(lea.memory.empty());
  ASSERT_OK(nop, decode({0x0f, 0x1f, 0x44, 0, 0}));
  EXPECT_TRUE(nop.memory.empty());
}

TEST_F(DisassemblerTest, ComputesAddressesFromKnownRegistersOnly) {
  ASSERT_OK(load, decode({0x8b, 0x44, 0x8b, 0x10}));
  RegisterSet registers;
  registers.set(Reg::rbx, 0x5000);
  EXPECT_EQ(effective_address(load, load.memory[0], registers), std::nullopt);
  registers.set(Reg::rcx, 3);
  EXPECT_EQ(effective_address(load, load.memory[0], registers), Addr(0x501c));
  ASSERT_OK(thread_local_load, decode({0x64, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0}));  // mov %fs:0x10,%eax
  EXPECT_EQ(thread_local_load.memory.at(0).segment, Segment::fs);
  EXPECT_EQ(effective_address(thread_local_load, thread_local_load.memory[0], registers), std::nullopt);
}

TEST_F(DisassemblerTest, RefusesBytesThatAreNoInstruction) {
  EXPECT_ERROR(decode({0x06}), Errc::bad_input, "decode");        // not in 64-bit mode
  EXPECT_ERROR(decode({0xe8, 0x10}), Errc::bad_input, "decode");  // cut short
  EXPECT_ERROR(decode({}), Errc::bad_input, "decode");
}

}  // namespace
}  // namespace xbdbg::test
