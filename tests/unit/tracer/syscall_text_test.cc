#include "tracer/syscall_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <array>
#include <csignal>
#include <ctime>

#include "tests/support/expect_ok.h"
#include "tracer/base/unique_fd.h"
#include "tracer/syscall_page.h"

namespace xbdbg {
namespace {

struct Example {
  long number;
  std::array<std::uint64_t, 6> args;
  const char* text;
};

constexpr auto kMinusOne = ~std::uint64_t{0};

class CallText : public testing::TestWithParam<Example> {};

TEST_P(CallText, IsWhatAPersonWouldWrite) {
  EXPECT_EQ(call_text(GetParam().number, GetParam().args), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, CallText,
    testing::Values(
        Example{SYS_read, {3, 0x7ffff7d00010, 4096, 99, 99, 99}, "read(3, 0x7ffff7d00010, 4096)"},
        Example{SYS_getpid, {1, 2, 3, 4, 5, 6}, "getpid()"},
        Example{SYS_read, {0xdead'0000'0003, 0, 1}, "read(3, NULL, 1)"},  // of an int, half of the register counts
        Example{SYS_lseek, {3, kMinusOne, 0}, "lseek(3, -1, 0)"},
        Example{SYS_openat,
                {0xffffff9c, 0x1000, O_RDONLY | O_CLOEXEC, 0},
                "openat(AT_FDCWD, 0x1000, O_RDONLY|O_CLOEXEC)"},
        Example{SYS_open, {0x1000, O_RDWR | O_CREAT | O_TRUNC, 0644}, "open(0x1000, O_RDWR|O_CREAT|O_TRUNC, 0644)"},
        Example{SYS_open, {0x1000, O_WRONLY | O_SYNC | 0x40000000, 0}, "open(0x1000, O_WRONLY|O_SYNC|0x40000000)"},
        Example{SYS_mmap,
                {0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, kMinusOne, 0},
                "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)"},
        Example{SYS_mprotect, {0x1000, 4096, PROT_NONE}, "mprotect(0x1000, 4096, PROT_NONE)"},
        Example{SYS_futex,
                {0x1000, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 0, 0, 0},
                "futex(0x1000, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2)"},
        Example{SYS_kill, {42, SIGTERM}, "kill(42, SIGTERM)"}, Example{SYS_kill, {42, 64}, "kill(42, 64)"},
        Example{SYS_kill, {42, 0}, "kill(42, 0)"},
        Example{SYS_clock_gettime, {CLOCK_MONOTONIC, 0x1000}, "clock_gettime(CLOCK_MONOTONIC, 0x1000)"},
        Example{SYS_clock_gettime, {static_cast<std::uint64_t>(-6), 0x1000}, "clock_gettime(-6, 0x1000)"},
        Example{999, {1, 2}, "syscall_999()"}, Example{-1, {}, "syscall_-1()"}));

TEST(CallResultText, IsAValueOrAnErrorsName) {
  EXPECT_EQ(call_result_text(0), "0");
  EXPECT_EQ(call_result_text(4096), "4096");
  EXPECT_EQ(call_result_text(0x7ffff7d00000), "0x7ffff7d00000");
  EXPECT_EQ(call_result_text(-ENOENT), "-1 ENOENT");
  EXPECT_EQ(call_result_text(-4095), "-1 errno 4095");
  EXPECT_EQ(call_result_text(-4096), "0xfffffffffffff000") << "an address, not an error";
}

TEST(SyscallPage, TheDocumentationPageIsWhatTheTableSays) {
  const auto page = read_whole_file(XB_SOURCE_DIR "/docs/SYSCALLS.md", 1 << 20);
  ASSERT_TRUE(page) << page.error().what;
  EXPECT_TRUE(*page == all_syscalls_as_markdown()) << "make it again: xbdbg help --syscalls > docs/SYSCALLS.md";
}

}  // namespace
}  // namespace xbdbg
