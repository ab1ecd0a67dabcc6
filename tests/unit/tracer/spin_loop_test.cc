#include "tracer/spin_loop.h"

#include <gtest/gtest.h>

namespace xbdbg {
namespace {

constexpr std::uint64_t kStack = 0x7fff0000, kFlag = 0x4000, kOther = 0x4008;

ExecutedStep at(std::uint64_t pc, std::vector<Touch> touches = {}, std::uint64_t rax = 0, std::uint64_t sp = kStack) {
  ExecutedStep step;
  step.state.pc = pc;
  step.state.sp = sp;
  step.state.general[0] = rax;
  step.touches = std::move(touches);
  return step;
}

Touch read(std::uint64_t address, std::uint64_t value) { return {Addr(address), 4, value, value}; }
Touch write(std::uint64_t address, std::uint64_t before, std::uint64_t after) {
  return {Addr(address), 4, before, after};
}

SpinVerdict feed(SpinDetector& detector, const std::vector<ExecutedStep>& steps, int times) {
  SpinVerdict verdict = SpinVerdict::undecided;
  for (int i = 0; i < times; ++i) {
    for (const ExecutedStep& step : steps) {
      verdict = detector.feed(step);
      if (verdict != SpinVerdict::undecided) return verdict;
    }
  }
  return verdict;
}

TEST(SpinDetector, ALoopThatOnlyReadsSpins) {
  SpinDetector detector;
  EXPECT_EQ(feed(detector, {at(0x12), at(0x10, {read(kFlag, 7)})}, 2), SpinVerdict::spin);
  EXPECT_EQ(detector.loop().length, 2u);
  EXPECT_EQ(detector.loop().resting.pc, 0x10u);  // wherever it was stopped
  EXPECT_EQ(detector.loop().low, Addr(0x10));
  EXPECT_EQ(detector.loop().high, Addr(0x12));
  EXPECT_EQ(detector.loop().watched, (std::vector<WatchedValue>{{Addr(kFlag), 4, 7}}));
}

TEST(SpinDetector, WhatCameBeforeTheLoopDoesNotCount) {
  SpinDetector detector;
  EXPECT_EQ(detector.feed(at(0x8, {read(kOther, 1)})), SpinVerdict::undecided);
  EXPECT_EQ(feed(detector, {at(0x10, {read(kFlag, 0)})}, 2), SpinVerdict::spin);
  EXPECT_EQ(detector.loop().watched.size(), 1u);
}

TEST(SpinDetector, ACountedLoopDoesNotSpin) {
  SpinDetector detector;
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(detector.feed(at(0x10, {read(kFlag, 0)}, i)), SpinVerdict::undecided);
  }
}

TEST(SpinDetector, ACounterOnTheStackIsOneToo) {
  SpinDetector detector;
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(detector.feed(at(0x10, {write(kStack + 8, i, i + 1)})), SpinVerdict::undecided);
  }
}

TEST(SpinDetector, WritingTheSameValueIsNoChange) {
  SpinDetector detector;
  EXPECT_EQ(feed(detector, {at(0x10, {write(kFlag, 1, 1)}), at(0x14)}, 2), SpinVerdict::spin);
}

TEST(SpinDetector, MemoryThatOthersSeeMustNotChangeEvenForAMoment) {
  SpinDetector detector;
  EXPECT_EQ(feed(detector, {at(0x10, {write(kFlag, 0, 1)}), at(0x14, {write(kFlag, 1, 0)})}, 2),
            SpinVerdict::no_spin);
}

TEST(SpinDetector, LocalVariablesMayChangeAndChangeBack) {
  SpinDetector detector;
  EXPECT_EQ(feed(detector, {at(0x14, {write(kStack + 4, 1, 0)}), at(0x10, {write(kStack + 4, 0, 1)})}, 2),
            SpinVerdict::spin);
  // At 0x10, where it rests, the variable is 0.
  EXPECT_EQ(detector.loop().watched, (std::vector<WatchedValue>{{Addr(kStack + 4), 4, 0}}));
}

TEST(SpinDetector, FramesOfCallsAreNotWatchedAndTheLoopRestsOutsideThem) {
  SpinDetector detector;
  const std::uint64_t deep = kStack - 0x200;
  EXPECT_EQ(feed(detector,
                 {at(0x5, {write(deep, 3, 4), read(kFlag, 0)}, 0, deep), at(0x6, {write(deep, 4, 3)}, 0, deep),
                  at(0x10), at(0x14)},
                 2),
            SpinVerdict::spin);
  EXPECT_EQ(detector.loop().resting.pc, 0x10u);
  EXPECT_EQ(detector.loop().watched, (std::vector<WatchedValue>{{Addr(kFlag), 4, 0}}));
}

TEST(Judgeable, WhatSpinLoopsAreMadeOf) {
  for (const char* text : {"movl 0x2ee2(%rip), %eax",
                           "testl %eax, %eax",
                           "je 0x1139",
                           "jmp 0x1139",
                           "pause",
                           "nop",
                           "xchgb %al, (%rdi)",
                           "lock cmpxchgl %edx, (%rdi)",
                           "cmpq $0, 8(%rdi)",
                           "movzbl (%rdi), %eax",
                           "callq 0x1139",
                           "call 0x1139",
                           "retq",
                           "pushq %rbp",
                           "popq %rbp",
                           "leave",
                           "setne %al",
                           "lock orq $0, (%rsp)",
                           "movq %fs:0x28, %rax",
                           "mfence"}) {
    EXPECT_TRUE(is_judgeable(text)) << text;
  }
}

TEST(Judgeable, NotWhatHasOtherEffectsOrOtherResultsEachTime) {
  for (const char* text :
       {"syscall", "rdtsc", "rdtscp", "rdrand %rax", "cpuid", "rep stosb %al, %es:(%rdi)", "movsb (%rsi), %es:(%rdi)",
        "movsd (%rax), %xmm0", "movq %xmm0, %rax", "addsd %xmm1, %xmm0", "fld1", "fadd %st(1)",
        "vmovdqa %ymm0, (%rax)", "int3", "pushfq", "xgetbv", "divl %ecx", "", "jrcxz_is_none"}) {
    EXPECT_FALSE(is_judgeable(text)) << text;
  }
}

}  // namespace
}  // namespace xbdbg
