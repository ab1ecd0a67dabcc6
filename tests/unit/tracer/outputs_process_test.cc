// What calls about processes, memory, time and the machine write, checked against the running kernel.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/unit/tracer/call_memory.h"

namespace xbdbg::test {
namespace {

class ProcessOutputs : public testing::Test {
 protected:
  CallMemory m_;
};

TEST_F(ProcessOutputs, TheMachine) {
  EXPECT_EQ(m_.call(SYS_uname, m_.poisoned<utsname>()), 0);
  EXPECT_EQ(m_.call(SYS_sysinfo, m_.poisoned<struct sysinfo>()), 0);
  EXPECT_EQ(m_.call(SYS_getrandom, m_.poisoned<char>(100), 100, 0), 100);
  EXPECT_EQ(m_.call(SYS_getcpu, m_.poisoned<unsigned>(), m_.poisoned<unsigned>(), nullptr), 0);
  const long name = m_.call(SYS_sysfs, 2, 0, m_.poisoned<char>(64));
  EXPECT_TRUE(name == 0 || name == -ENOSYS);
}

TEST_F(ProcessOutputs, Limits) {
  EXPECT_EQ(m_.call(SYS_getrlimit, RLIMIT_NOFILE, m_.poisoned<rlimit>()), 0);
  EXPECT_EQ(m_.call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, m_.poisoned<rlimit>()), 0);
  EXPECT_EQ(m_.call(SYS_getrusage, RUSAGE_SELF, m_.poisoned<rusage>()), 0);
  EXPECT_NE(m_.call(SYS_times, m_.poisoned<tms>()), -EFAULT);
}

TEST_F(ProcessOutputs, Identity) {
  auto id = [&] { return m_.poisoned<unsigned>(); };
  EXPECT_EQ(m_.call(SYS_getresuid, id(), id(), id()), 0);
  EXPECT_EQ(m_.call(SYS_getresgid, id(), id(), id()), 0);
  EXPECT_GE(m_.call(SYS_getgroups, 100, m_.poisoned<unsigned>(100)), 0);
  EXPECT_GE(m_.call(SYS_getgroups, 0, m_.poisoned<unsigned>(100)), 0) << "asks for their number";
  EXPECT_EQ(m_.area_bytes(), 0u);
}

TEST_F(ProcessOutputs, Capabilities) {
  auto header = [&](std::uint32_t version) { return m_.holding(__user_cap_header_struct{version, 0}); };
  EXPECT_EQ(m_.call(SYS_capget, header(_LINUX_CAPABILITY_VERSION_1), m_.poisoned<__user_cap_data_struct>()), 0);
  EXPECT_EQ(m_.call(SYS_capget, header(_LINUX_CAPABILITY_VERSION_3), m_.poisoned<__user_cap_data_struct>(2)), 0);
  EXPECT_EQ(m_.call(SYS_capget, header(4711), nullptr), 0) << "asks for the version";
  EXPECT_EQ(m_.call(SYS_capget, header(4711), m_.poisoned<__user_cap_data_struct>(2)), -EINVAL);
  EXPECT_EQ(m_.call(SYS_capset, header(4711), m_.poisoned<__user_cap_data_struct>(2)), -EINVAL);
}

TEST_F(ProcessOutputs, Scheduling) {
  EXPECT_GT(m_.call(SYS_sched_getaffinity, 0, 128, m_.poisoned<char>(128)), 0);
  EXPECT_EQ(m_.call(SYS_sched_getparam, 0, m_.poisoned<sched_param>()), 0);
  EXPECT_EQ(m_.call(SYS_sched_rr_get_interval, 0, m_.poisoned<timespec>()), 0);
  EXPECT_EQ(m_.call(SYS_sched_getattr, 0, m_.poisoned<char>(56), 56, 0), 0);
  EXPECT_EQ(m_.call(SYS_sched_getattr, 0, m_.poisoned<char>(100), 100, 0), 0);
  auto* too_new = m_.poisoned<std::uint32_t>(32);
  too_new[0] = 128;
  EXPECT_EQ(m_.call(SYS_sched_setattr, 0, too_new, 0), -E2BIG);
  EXPECT_NE(too_new[0], 128u) << "the kernel says what it knows";
}

TEST_F(ProcessOutputs, Time) {
  EXPECT_EQ(m_.call(SYS_clock_gettime, CLOCK_MONOTONIC, m_.poisoned<timespec>()), 0);
  EXPECT_EQ(m_.call(SYS_clock_getres, CLOCK_MONOTONIC, m_.poisoned<timespec>()), 0);
  EXPECT_EQ(m_.call(SYS_gettimeofday, m_.poisoned<timeval>(), m_.poisoned<struct timezone>()), 0);
  EXPECT_GT(m_.call(SYS_time, m_.poisoned<time_t>()), 0);
  auto* query = m_.poisoned<timex>();
  query->modes = 0;
  EXPECT_GE(m_.call(SYS_adjtimex, query), 0);
  query->modes = 0;
  EXPECT_GE(m_.call(SYS_clock_adjtime, CLOCK_REALTIME, query), 0);
}

TEST_F(ProcessOutputs, MemoryOfTheProgram) {
  char* page = reinterpret_cast<char*>(reinterpret_cast<long>(m_.poisoned<char>(8192)) & -4096L);
  EXPECT_EQ(m_.call(SYS_mincore, page, 5 * 4096 - 100, m_.poisoned<char>(5)), 0);
  EXPECT_EQ(m_.area_bytes(), 5u);
  auto* pages = m_.poisoned<void*>(2);
  pages[0] = pages[1] = page;
  const long moved = m_.call(SYS_move_pages, 0, 2, pages, nullptr, m_.poisoned<int>(2), 0);
  EXPECT_TRUE(moved == 0 || moved == -ENOSYS || moved == -EPERM) << moved;
  const long policy = m_.call(SYS_get_mempolicy, m_.poisoned<int>(), m_.poisoned<char>(128), 1024, nullptr, 0);
  EXPECT_TRUE(policy == 0 || policy == -ENOSYS || policy == -EPERM) << policy;
}

TEST_F(ProcessOutputs, MemoryOfProcesses) {
  auto* here = m_.holding(iovec{m_.poisoned<char>(100), 100});
  auto* there = m_.holding(iovec{m_.text("some text"), 9});
  const long read = m_.call(SYS_process_vm_readv, ::getpid(), here, 1, there, 1, 0);
  if (read == -EPERM || read == -ENOSYS) GTEST_SKIP() << "no process_vm_readv here";
  EXPECT_EQ(read, 9);
  EXPECT_EQ(m_.area_bytes(), 9u);
  EXPECT_EQ(m_.call(SYS_process_vm_writev, ::getpid(), there, 1, here, 1, 0), 9) << "writes to the program itself";
  EXPECT_EQ(m_.area_bytes(), 9u);
}

TEST_F(ProcessOutputs, NewProcesses) {
  auto* pidfd = m_.poisoned<int>();
  const auto end_child = [](long child, int fd) {
    if (child == 0) ::_exit(0);
    EXPECT_GT(child, 0);
    ::waitpid(static_cast<pid_t>(child), nullptr, 0);
    ::close(fd);
  };
  end_child(m_.call(SYS_clone, CLONE_PIDFD | SIGCHLD, nullptr, pidfd, nullptr, 0), *pidfd);
  auto* tid = m_.poisoned<int>();
  end_child(m_.call(SYS_clone, CLONE_PARENT_SETTID | SIGCHLD, nullptr, tid, nullptr, 0), -1);
  end_child(m_.call(SYS_clone, SIGCHLD, nullptr, 0x10, nullptr, 0), -1);
  EXPECT_EQ(m_.area_bytes(), 0u) << "the third argument is not looked at";
  auto* arguments = m_.holding(clone_args{});
  arguments->flags = CLONE_PIDFD | CLONE_PARENT_SETTID;
  arguments->pidfd = reinterpret_cast<std::uint64_t>(pidfd);
  arguments->parent_tid = reinterpret_cast<std::uint64_t>(tid);
  arguments->exit_signal = SIGCHLD;
  const long child = m_.call(SYS_clone3, arguments, sizeof *arguments);
  if (child == -ENOSYS) GTEST_SKIP() << "no clone3 here";
  end_child(child, *pidfd);
}

// Rarely used, and often forbidden: if they work, they must write where the table says.
TEST_F(ProcessOutputs, Others) {
  constexpr long kStatmount = 457, kListmount = 458, kLsmGet = 459, kLsmList = 461;
  m_.call(SYS_get_robust_list, 0, m_.poisoned<void*>(), m_.poisoned<std::size_t>());
  m_.call(SYS_syslog, 3, m_.poisoned<char>(200), 200);
  m_.call(SYS_seccomp, 3, 0, m_.poisoned<char>(6));
  m_.call(SYS_modify_ldt, 0, m_.poisoned<char>(64), 64);
  constexpr int kCapabilities = 31, kDescribe = 6, kSessionKeyring = -3;
  m_.call(SYS_keyctl, kCapabilities, m_.poisoned<char>(10), 10, 0, 0);
  m_.call(SYS_keyctl, kDescribe, kSessionKeyring, m_.poisoned<char>(100), 100, 0);
  struct Request {
    std::uint32_t size = 24, reserved = 0;
    std::uint64_t mount = ~0ULL, parameter = 0;
  };
  m_.call(kListmount, m_.holding(Request{}), m_.poisoned<std::uint64_t>(20), 20, 0);
  Request basic;
  basic.mount = 1;
  basic.parameter = 3;
  m_.call(kStatmount, m_.holding(basic), m_.poisoned<char>(1000), 1000, 0);
  m_.call(kLsmList, m_.poisoned<std::uint64_t>(20), m_.holding(std::uint32_t{160}), 0);
  m_.call(kLsmList, m_.poisoned<std::uint64_t>(1), m_.holding(std::uint32_t{8}), 0);
  m_.call(kLsmGet, 100, m_.poisoned<char>(500), m_.holding(std::uint32_t{500}), 0);
}

}  // namespace
}  // namespace xbdbg::test
