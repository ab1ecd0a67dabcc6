// What a target finds when it starts: the same every time, and nothing of ours but the arena.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <iterator>
#include <set>
#include <sstream>

#include "tests/support/temp_dir.h"
#include "tests/target/launch/support.h"

namespace xbdbg {
namespace {

using test::content_of;
using test::launch_program;
using test::test_program;
using test::wait_for_end;

std::string report_under_xbdbg(const std::string& path) {
  auto target = launch_program({test_program("probe"), "report", path});
  EXPECT_OK(target);
  if (!target) return {};
  EXPECT_OK(wait_for_end(target->process));
  return content_of(path);
}

std::string report_natively(const std::string& path) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(test_program("probe").c_str(), test_program("probe").c_str(), "report", path.c_str(), nullptr);
    ::_exit(99);
  }
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  return content_of(path);
}

std::string line_of(const std::string& report, const std::string& key) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, key.size(), key) == 0) return line;
  }
  return key + " is missing";
}

TEST(Start, HasNoVdsoAndFixedRandomBytes) {
  test::TempDir dir;
  const std::string report = report_under_xbdbg(dir / "report");
  EXPECT_EQ(line_of(report, "vdso"), "vdso 0");
  EXPECT_EQ(line_of(report, "random"), "random 58 42 44 42 47 9e 37 79 b9 7f 4a 7c 15 f3 9c c0");
}

TEST(Start, IsTheSameInEveryLaunch) {
  test::TempDir dir;
  const std::string first = report_under_xbdbg(dir / "report");
  EXPECT_NE(line_of(first, "stack"), "stack is missing");
  for (int i = 1; i < 5; ++i) EXPECT_EQ(report_under_xbdbg(dir / "report"), first) << "launch " << i;
}

TEST(Start, SurvivesALargeEnvironment) {
  test::TempDir dir;
  LaunchOptions options{.argv = {test_program("probe"), "report", dir / "report"}, .env = {}};
  for (int i = 0; i < 20'000; ++i) options.env.push_back("V" + std::to_string(i) + "=" + std::string(20, 'v'));
  ASSERT_OK(target, launch(options));
  EXPECT_OK(wait_for_end(target.process));
  EXPECT_EQ(line_of(content_of(dir / "report"), "vdso"), "vdso 0");
}

TEST(Start, InheritsOurDescriptorsPlusTheArena) {
  test::TempDir dir;
  const std::string native = line_of(report_natively(dir / "report"), "fds");
  EXPECT_EQ(line_of(report_under_xbdbg(dir / "report"), "fds"), native + " 1000");
}

TEST(Start, KeepsBlockedAndIgnoredSignals) {
  test::TempDir dir;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  ASSERT_EQ(::sigprocmask(SIG_BLOCK, &blocked, nullptr), 0);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);
  ::signal(SIGTERM, [](int) {});
  const std::string report = report_under_xbdbg(dir / "report");
  ::signal(SIGCHLD, SIG_DFL);
  const auto bit = [](int number) { return 1ull << (number - 1); };
  const auto value = [&](const char* key) { return std::stoull(line_of(report, key).substr(7), nullptr, 16); };
  EXPECT_EQ(value("SigBlk"), bit(SIGUSR2));
  EXPECT_NE(value("SigIgn") & bit(SIGINT), 0u);
  EXPECT_NE(value("SigIgn") & bit(SIGCHLD), 0u);
  EXPECT_EQ(value("SigIgn") & bit(SIGTERM), 0u);
}

TEST(Start, PutsTheArenaBelowALowDescriptorLimit) {
  test::TempDir dir;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const std::string native = line_of(report_natively(dir / "report"), "fds");
  const std::string ours = line_of(report_under_xbdbg(dir / "report"), "fds");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  std::istringstream expected(native + " 48"), found(ours);  // fd numbers above 48 may have been inherited
  EXPECT_EQ((std::multiset<std::string>(std::istream_iterator<std::string>(found), {})),
            (std::multiset<std::string>(std::istream_iterator<std::string>(expected), {})));
}

}  // namespace
}  // namespace xbdbg
