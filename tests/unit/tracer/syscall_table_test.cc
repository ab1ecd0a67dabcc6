// The table of system calls is complete and agrees with itself.
#include "tracer/agent/syscall_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tracer/syscall_text.h"

namespace xbdbg {
namespace {

using agent::Extent;
using agent::Output;
using agent::Replaying;
using agent::syscall_info;
using agent::SyscallInfo;

template <class F>
void for_each_call(F f) {
  for (long number = 0; number < agent::kSyscallTableSize; ++number) {
    if (syscall_info(number).name != nullptr) f(number, syscall_info(number));
  }
}

std::map<std::string, long> calls_of_the_kernel_header() {
  std::map<std::string, long> found;
  std::ifstream header("/usr/include/x86_64-linux-gnu/asm/unistd_64.h");
  for (std::string line; std::getline(header, line);) {
    std::istringstream words(line);
    std::string define, name;
    long number = -1;
    if (words >> define >> name >> number && define == "#define" && name.starts_with("__NR_"))
      found[name.substr(5)] = number;
  }
  return found;
}

TEST(SyscallTable, HasEveryCallOfTheKernelHeaderUnderItsNumber) {
  const auto calls = calls_of_the_kernel_header();
  ASSERT_GT(calls.size(), 350u);
  for (const auto& [name, number] : calls) {
    const char* known = syscall_info(number).name;
    ASSERT_NE(known, nullptr) << name << " (" << number << ") is missing";
    EXPECT_EQ(known, name) << number;
  }
}

TEST(SyscallTable, NamesAreUnique) {
  std::set<std::string> names;
  for_each_call([&](long number, const SyscallInfo& info) {
    EXPECT_TRUE(names.insert(info.name).second) << number << " is a second " << info.name;
  });
  EXPECT_GE(names.size(), 383u);
}

TEST(SyscallTable, ANumberThatIsNoCallIsRefused) {
  for (long number : {-1L, 337L, 423L, 511L, 512L, 1L << 40, -(1L << 40), 0x40000000L}) {
    EXPECT_EQ(syscall_info(number).name, nullptr) << number;
    EXPECT_EQ(syscall_info(number).replaying, Replaying::refuse) << number;
  }
}

TEST(SyscallTable, ArgumentsAreAtMostSixWordsOfAKnownKind) {
  for_each_call([&](long number, const SyscallInfo& info) {
    const auto arguments = syscall_arguments(number);
    EXPECT_EQ(arguments.size(), info.argument_count) << info.name;
    EXPECT_LE(arguments.size(), 6u) << info.name;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      EXPECT_EQ(arguments[i].optional, i >= info.required_count) << info.name << ": optional ones come last";
    for (const SyscallArgument& argument : arguments) {
      EXPECT_NE(std::string("dulfxopsSCWOPM").find(argument.kind), std::string::npos) << info.name;
      EXPECT_GE(argument.name.size(), 2u) << info.name;
    }
  });
}

TEST(SyscallTable, OutputsAreArgumentsThatMayBePointers) {
  for_each_call([&](long number, const SyscallInfo& info) {
    const auto arguments = syscall_arguments(number);
    for (const Output& o : info.outputs) {
      if (o.extent == Extent::none) continue;
      ASSERT_LT(o.argument, arguments.size()) << info.name;
      ASSERT_LT(o.other, arguments.size()) << info.name;
      EXPECT_TRUE(arguments[o.argument].kind == 'p' || arguments[o.argument].kind == 'x') << info.name;
      const bool sized = o.extent == Extent::fixed || o.extent == Extent::result || o.extent == Extent::argument;
      EXPECT_EQ(sized, o.unit != 0) << info.name;
    }
  });
}

TEST(SyscallTable, WhatIsNotSupportedSaysWhy) {
  for_each_call([&](long, const SyscallInfo& info) {
    const bool supported = info.replaying != Replaying::absent && info.replaying != Replaying::refuse;
    EXPECT_EQ(info.reason == nullptr, supported) << info.name;
  });
}

// The other use of the table, as in the agent: who answers a call.
TEST(SyscallTable, CanBeReadForItsHandlersAlone) {
  std::map<std::string, std::string> handlers;
#define XB_SYSCALL(number, name, handler, arguments, outputs, blocking, replaying, undo, order) \
  handlers[#name] = #handler;
#include "tracer/agent/syscall_table.inc"
#undef XB_SYSCALL
  EXPECT_EQ(handlers["read"], "call_read_like");
  EXPECT_EQ(handlers["fstat"], "pass");
  EXPECT_EQ(handlers["io_uring_setup"], "absent");
  for_each_call([&](long, const SyscallInfo& info) { EXPECT_TRUE(handlers.contains(info.name)) << info.name; });
}

}  // namespace
}  // namespace xbdbg
