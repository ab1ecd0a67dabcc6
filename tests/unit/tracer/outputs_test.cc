// How the memory that a call wrote is enumerated: the parts that are the same for all calls, and the check itself.
#include "tracer/agent/outputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tests/unit/tracer/call_memory.h"

namespace xbdbg::test {
namespace {

using agent::syscall_info;

using Areas = std::vector<std::pair<const void*, std::uint64_t>>;

// The areas after a call that was not made.
Areas areas_of(long number, std::vector<long> args, long result, agent::AskKernel ask = raw_call) {
  args.resize(6);
  Areas areas;
  const auto& info = syscall_info(number);
  const auto limits = agent::limits_before(info, args.data(), ask);
  agent::for_each_output(
      info, args.data(), result, limits,
      [](void* list, const void* at, std::uint64_t size) {
        static_cast<Areas*>(list)->push_back({at, size});
      },
      &areas);
  return areas;
}

template <class T>
long address(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

TEST(Outputs, TheCheckFindsAByteThatTheTableDoesNotName) {
  CallMemory m;
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  ASSERT_EQ(::write(fds[1], "hello", 5), 5);
  const long args[6] = {fds[0], address(m.poisoned<char>(8)), 8};
  long result = 0;
  const auto found = m.problems_of(SYS_read, args, syscall_info(SYS_getpid), &result);
  EXPECT_EQ(result, 5);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0], "changed but missed: byte 0 of piece 0 (8 bytes)");
  ::close(fds[0]);
  ::close(fds[1]);
}

TEST(Outputs, TheCheckFindsAnAreaThatIsTooLarge) {
  CallMemory m;
  const long args[6] = {0, address(m.poisoned<char>(8)), 100};
  long result = 0;
  const auto found = m.problems_of(SYS_uname, {address(m.poisoned<char>(390))}, syscall_info(SYS_stat), &result);
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(areas_of(SYS_fstat, {args[0], args[1]}, 0), (Areas{{reinterpret_cast<void*>(args[1]), 144}}));
}

TEST(Outputs, NothingIsWrittenByACallThatFailed) {
  char buffer[8];
  EXPECT_EQ(areas_of(SYS_read, {0, address(buffer), 8}, -EAGAIN), Areas{});
  EXPECT_EQ(areas_of(SYS_read, {0, address(buffer), 8}, -EFAULT), Areas{});
  EXPECT_EQ(areas_of(SYS_read, {0, address(buffer), 8}, 0), Areas{});
  EXPECT_EQ(areas_of(SYS_waitid, {0, 0, address(buffer), 0, 0}, -EFAULT), Areas{})
      << "not even if it writes on errors";
}

TEST(Outputs, AResultLargerThanTheBufferIsCutToIt) {
  char buffer[8];
  EXPECT_EQ(areas_of(SYS_recvfrom, {3, address(buffer), 8, 0, 0, 0}, 1000), (Areas{{buffer, 8}}));
  EXPECT_EQ(areas_of(SYS_getxattr, {0, 0, address(buffer), 0}, 1000), Areas{}) << "only the size was asked for";
}

TEST(Outputs, ANullPointerIsNoArea) {
  EXPECT_EQ(areas_of(SYS_wait4, {-1, 0, 0, 0}, 42), Areas{});
  EXPECT_EQ(areas_of(SYS_accept, {3, 0, 0}, 4), Areas{});
  EXPECT_EQ(areas_of(SYS_select, {5, 0, 0, 0, 0}, 0), Areas{});
}

TEST(Outputs, APointerThatNobodyHasCheckedIsNotFollowedBeforeTheCall) {
  char buffer[8];
  constexpr long kWild = 0x10;
  EXPECT_EQ(areas_of(SYS_recvfrom, {3, address(buffer), 8, 0, address(buffer), kWild}, -EFAULT), Areas{});
  EXPECT_EQ(areas_of(SYS_recvmsg, {3, kWild, 0}, -EFAULT), Areas{});
  EXPECT_EQ(areas_of(SYS_recvmmsg, {3, kWild, 1000, 0, 0}, -EFAULT), Areas{});
  EXPECT_EQ(areas_of(SYS_getsockopt, {3, 1, 1, address(buffer), kWild}, -EFAULT), Areas{});
  EXPECT_EQ(areas_of(SYS_select, {5, kWild, kWild, kWild, kWild}, -EFAULT), Areas{});
}

// "As many as may be open" is much more than the set has, and the kernel does not look there.
TEST(Outputs, ASetOfFilesIsNotLongerThanItsMemory) {
  constexpr std::size_t kPage = 4096, kSetBytes = 128;
  auto* pages =
      static_cast<char*>(::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(::munmap(pages + kPage, kPage), 0);
  char* set = pages + kPage - kSetBytes;
  EXPECT_EQ(areas_of(SYS_select, {100, address(set), 0, 0, 0}, 0), (Areas{{set, 16}}));
  EXPECT_EQ(areas_of(SYS_select, {65536, address(set), 0, 0, 0}, 0), (Areas{{set, kSetBytes}}));
  EXPECT_EQ(areas_of(SYS_select, {1 << 20, address(set), 0, 0, 0}, 0), (Areas{{set, kSetBytes}}));
  EXPECT_EQ(areas_of(SYS_select, {8 * 2048, address(pages), 0, 0, 0}, 0), (Areas{{pages, 2048}}));
  ::munmap(pages, kPage);
}

TEST(Outputs, AreKnownForUsualRequestsAndNotForThoseOfSomeDriver) {
  auto known = [](long number, long first, long second) {
    const long args[6] = {first, second};
    return agent::outputs_known(syscall_info(number), args);
  };
  EXPECT_TRUE(known(SYS_read, 0, 0));
  EXPECT_TRUE(known(SYS_ioctl, 0, TCGETS));
  EXPECT_TRUE(known(SYS_ioctl, 0, FIONREAD));
  EXPECT_TRUE(known(SYS_ioctl, 0, TIOCGPTN)) << "says itself how much";
  EXPECT_TRUE(known(SYS_ioctl, 0, _IOR('z', 1, int)));
  EXPECT_FALSE(known(SYS_ioctl, 0, 0x7a01)) << "an old number that says nothing";
  EXPECT_FALSE(known(SYS_ioctl, 0, _IOWR('d', 0, char[64]))) << "graphics: pointers to more memory";
  EXPECT_TRUE(known(SYS_fcntl, 0, F_GETLK));
  EXPECT_FALSE(known(SYS_fcntl, 0, 4711));
  EXPECT_TRUE(known(SYS_prctl, PR_SET_NAME, 0));
  EXPECT_FALSE(known(SYS_prctl, 4711, 0));
}

}  // namespace
}  // namespace xbdbg::test
