// Nothing survives: however xbdbg or the guard dies, and whatever the target has started.
//
// The test is a child subreaper: everything that outlives its parent becomes our child, so "nobody is left" is
// exactly waitpid's ECHILD.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <random>
#include <thread>

#include "tests/target/launch/support.h"
#include "tracer/descendants.h"

namespace xbdbg {
namespace {

using namespace std::chrono_literals;
using test::launch_program;
using test::test_program;

class Survivors : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    sigemptyset(&child_);
    sigaddset(&child_, SIGCHLD);
    ASSERT_EQ(::sigprocmask(SIG_BLOCK, &child_, nullptr), 0);
  }

  // Reaps until there are no children; those that are left after 10 s are killed and counted as survivors.
  void expect_nobody_left() {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    for (;;) {
      const pid_t pid = ::waitpid(-1, nullptr, WNOHANG | __WALL);
      if (pid > 0) continue;
      if (pid < 0) return;
      const timespec at_most{0, 100'000'000};
      (void)::sigtimedwait(&child_, nullptr, &at_most);
      if (std::chrono::steady_clock::now() > deadline) break;
    }
    std::string left;
    for (const pid_t pid : descendants_of(::getpid())) {
      left += " " + std::to_string(pid) + ":" + test::content_of("/proc/" + std::to_string(pid) + "/comm");
      ::kill(pid, SIGKILL);
    }
    ADD_FAILURE() << "still there:" << left;
  }

  pid_t start_parent() {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const std::string parent = test_program("parent");
    ::execl(parent.c_str(), parent.c_str(), test_program("family").c_str(), nullptr);
    ::_exit(99);
  }

  // A family in this process, complete.
  Result<Launched> launch_family() {
    int ends[2];
    if (::pipe(ends) != 0) return os_error("pipe");
    UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    XB_TRY(Launched target, launch_program({test_program("family"), std::to_string(ends[1])}));
    char byte = 0;
    if (::read(read_end.get(), &byte, 1) != 1) return os_error("read");
    return target;
  }

  sigset_t child_{};
};

TEST_F(Survivors, NoneAfterXbdbgIsKilledAtAnyMoment) {
  std::mt19937 random(20260101);
  std::uniform_int_distribution<int> microseconds(0, 12'000);
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    const pid_t parent = start_parent();
    const int delay = microseconds(random);
    std::this_thread::sleep_for(std::chrono::microseconds(delay));  // the moment, not a wait for something
    ::kill(parent, SIGKILL);
    expect_nobody_left();
    EXPECT_FALSE(HasFailure()) << "killed after " << delay << " us";
  }
}

TEST_F(Survivors, NoneAfterXbdbgIsTerminatedOrHungUp) {
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGABRT}) {
    const pid_t parent = start_parent();
    std::this_thread::sleep_for(8ms);  // the moment, as above
    ::kill(parent, number);
    expect_nobody_left();
  }
}

TEST_F(Survivors, NoneAfterKillAll) {
  ASSERT_OK(target, launch_family());
  EXPECT_GE(descendants_of(::getpid()).size(), 5u);
  target.process.kill_all();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1) << "kill_all returned before all were gone";
  ASSERT_OK(end, test::wait_for_end(target.process));
  EXPECT_EQ(end, TargetEvent(TargetSignaled{SIGKILL, false}));
}

TEST_F(Survivors, NoneAfterTheObjectIsGone) {
  EXPECT_OK(launch_family());  // gone at the end of the line
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
}

TEST_F(Survivors, NoneAfterTheTargetHasEndedButItsDaemonHasNot) {
  ASSERT_OK(target, launch_family());
  EXPECT_OK(target.process.send_signal(SIGKILL));
  EXPECT_OK(test::wait_for_end(target.process));
  EXPECT_GE(descendants_of(::getpid()).size(), 3u);
  target.process.kill_all();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
}

TEST_F(Survivors, NoneAfterTheGuardIsKilledAndItIsReported) {
  ASSERT_OK(target, launch_family());
  const pid_t bystander = ::fork();  // a child of ours that has nothing to do with the target
  if (bystander == 0) {
    for (;;) ::pause();
  }
  for (const pid_t child : children_of(::getpid())) {
    if (child != bystander) ::kill(child, SIGKILL);
  }
  EXPECT_ERROR(test::wait_for_end(target.process), Errc::target_gone, "guard");
  EXPECT_EQ(descendants_of(::getpid()), std::vector<pid_t>{bystander});
  ::kill(bystander, SIGKILL);
  expect_nobody_left();
}

}  // namespace
}  // namespace xbdbg
