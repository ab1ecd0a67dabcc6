// What calls that wait write, checked against the running kernel; also when they are interrupted or fail.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/unit/tracer/call_memory.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg::test {
namespace {

class WaitOutputs : public testing::Test {
 protected:
  WaitOutputs() { EXPECT_EQ(::eventfd_write(ready_.get(), 1), 0); }

  // A signal comes while the test waits: every millisecond, since the first may come before it waits.
  struct Interrupting {
    Interrupting() {
      struct sigaction action {};
      action.sa_handler = [](int) {};
      ::sigaction(SIGALRM, &action, &before);
      const itimerval often{{0, 1000}, {0, 1000}};
      ::setitimer(ITIMER_REAL, &often, nullptr);
    }
    ~Interrupting() {
      const itimerval never{};
      ::setitimer(ITIMER_REAL, &never, nullptr);
      ::sigaction(SIGALRM, &before, nullptr);
    }
    struct sigaction before {};
  };

  static pid_t child_that_exits() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(7);
    return child;
  }
  fd_set* set_of(int fd) {
    auto* set = m_.poisoned<fd_set>();
    FD_ZERO(set);
    FD_SET(fd, set);
    return set;
  }

  UniqueFd ready_{::eventfd(0, EFD_CLOEXEC)};
  UniqueFd idle_{::eventfd(0, EFD_CLOEXEC)};
  CallMemory m_;
};

TEST_F(WaitOutputs, Poll) {
  auto* fds = m_.poisoned<pollfd>(2);
  fds[0] = {ready_.get(), POLLIN, 0x55};
  fds[1] = {idle_.get(), POLLIN, 0x55};
  EXPECT_EQ(m_.call(SYS_poll, fds, 2, 0), 1);
  fds[1].revents = 0x55;
  EXPECT_EQ(m_.call(SYS_poll, fds + 1, 1, 0), 0);
  EXPECT_EQ(fds[1].revents, 0);
  EXPECT_EQ(m_.call(SYS_ppoll, fds, 2, m_.holding(timespec{10, 0}), nullptr, 8), 1);
}

TEST_F(WaitOutputs, PollThatIsInterruptedWritesToo) {
  auto* fds = m_.poisoned<pollfd>(1);
  fds[0] = {idle_.get(), POLLIN, 0x55};
  auto* timeout = m_.holding(timespec{10, 0});
  const Interrupting now;
  EXPECT_EQ(m_.call(SYS_poll, fds, 1, 10'000), -EINTR);
  fds[0].revents = 0x55;
  EXPECT_EQ(m_.call(SYS_ppoll, fds, 1, timeout, nullptr, 8), -EINTR);
  EXPECT_LT(timeout->tv_sec, 10);
}

TEST_F(WaitOutputs, Select) {
  const int count = std::max(ready_.get(), idle_.get()) + 1;
  EXPECT_EQ(
      m_.call(SYS_select, count, set_of(ready_.get()), set_of(idle_.get()), nullptr, m_.holding(timeval{10, 0})), 2);
  EXPECT_EQ(
      m_.call(SYS_select, count, set_of(idle_.get()), nullptr, set_of(idle_.get()), m_.holding(timeval{0, 1000})), 0);
  EXPECT_EQ(
      m_.call(SYS_pselect6, count, set_of(ready_.get()), nullptr, nullptr, m_.holding(timespec{10, 0}), nullptr), 1);
  const int closed = ::dup(idle_.get());
  ::close(closed);
  EXPECT_EQ(m_.call(SYS_select, closed + 1, set_of(closed), nullptr, nullptr, m_.holding(timeval{10, 0})), -EBADF);
  const Interrupting now;
  EXPECT_EQ(m_.call(SYS_select, count, set_of(idle_.get()), nullptr, nullptr, m_.holding(timeval{10, 0})), -EINTR);
}

TEST_F(WaitOutputs, Epoll) {
  UniqueFd epoll{::epoll_create1(EPOLL_CLOEXEC)};
  epoll_event event{EPOLLIN, {}};
  event.data.u64 = 0x1122334455667788;
  ASSERT_EQ(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, ready_.get(), &event), 0);
  EXPECT_EQ(m_.call(SYS_epoll_wait, epoll.get(), m_.poisoned<epoll_event>(4), 4, 0), 1);
  EXPECT_EQ(m_.area_bytes(), sizeof(epoll_event));
  EXPECT_EQ(m_.call(SYS_epoll_pwait, epoll.get(), m_.poisoned<epoll_event>(4), 4, 0, nullptr, 8), 1);
  const long r =
      m_.call(SYS_epoll_pwait2, epoll.get(), m_.poisoned<epoll_event>(4), 4, m_.holding(timespec{1, 0}), nullptr, 8);
  EXPECT_TRUE(r == 1 || r == -ENOSYS);
}

TEST_F(WaitOutputs, Children) {
  auto* status = m_.poisoned<int>();
  auto* usage = m_.poisoned<rusage>();
  EXPECT_EQ(m_.call(SYS_wait4, -1, status, WNOHANG, usage), -ECHILD);
  pid_t child = child_that_exits();
  EXPECT_EQ(m_.call(SYS_wait4, child, status, 0, usage), child);
  EXPECT_EQ(WEXITSTATUS(*status), 7);
  const pid_t sleeper = ::fork();
  if (sleeper == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_EQ(m_.call(SYS_wait4, sleeper, status, WNOHANG, usage), 0);
  EXPECT_EQ(m_.area_bytes(), 0u) << "nothing happened";
  EXPECT_EQ(m_.call(SYS_waitid, P_PID, sleeper, m_.poisoned<siginfo_t>(), WEXITED | WNOHANG, m_.poisoned<rusage>()),
            0);
  ::kill(sleeper, SIGKILL);
  EXPECT_EQ(m_.call(SYS_waitid, P_PID, sleeper, m_.poisoned<siginfo_t>(), WEXITED, m_.poisoned<rusage>()), 0);
}

TEST_F(WaitOutputs, WaitidWritesEvenWhenItFails) {
  auto* info = m_.poisoned<siginfo_t>();
  EXPECT_EQ(m_.call(SYS_waitid, P_ALL, 0, info, WEXITED, nullptr), -ECHILD);
  EXPECT_EQ(info->si_signo, 0);
}

TEST_F(WaitOutputs, SleepThatIsInterrupted) {
  const Interrupting now;
  EXPECT_EQ(m_.call(SYS_nanosleep, m_.holding(timespec{10, 0}), m_.poisoned<timespec>()), -EINTR);
  EXPECT_EQ(m_.call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, m_.holding(timespec{10, 0}), m_.poisoned<timespec>()),
            -EINTR);
}

TEST_F(WaitOutputs, Timers) {
  auto* once = m_.holding(itimerspec{{0, 0}, {100, 0}});
  UniqueFd timer{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
  EXPECT_EQ(m_.call(SYS_timerfd_settime, timer.get(), 0, once, m_.poisoned<itimerspec>()), 0);
  EXPECT_EQ(m_.call(SYS_timerfd_gettime, timer.get(), m_.poisoned<itimerspec>()), 0);
  auto* event = m_.poisoned<sigevent>();
  event->sigev_notify = SIGEV_NONE;
  auto* id = m_.poisoned<int>();
  ASSERT_EQ(m_.call(SYS_timer_create, CLOCK_MONOTONIC, event, id), 0);
  EXPECT_EQ(m_.call(SYS_timer_settime, *id, 0, once, m_.poisoned<itimerspec>()), 0);
  EXPECT_EQ(m_.call(SYS_timer_gettime, *id, m_.poisoned<itimerspec>()), 0);
  EXPECT_EQ(m_.call(SYS_timer_delete, *id), 0);
  EXPECT_EQ(m_.call(SYS_setitimer, ITIMER_VIRTUAL, m_.holding(itimerval{}), m_.poisoned<itimerval>()), 0);
  EXPECT_EQ(m_.call(SYS_getitimer, ITIMER_VIRTUAL, m_.poisoned<itimerval>()), 0);
}

TEST_F(WaitOutputs, Signals) {
  sigset_t usr1, before;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &usr1, &before);
  ::raise(SIGUSR1);
  EXPECT_EQ(m_.call(SYS_rt_sigpending, m_.poisoned<std::uint64_t>(), 8), 0);
  EXPECT_EQ(m_.call(SYS_rt_sigtimedwait, m_.holding(usr1), m_.poisoned<siginfo_t>(), nullptr, 8), SIGUSR1);
  UniqueFd signals{::signalfd(-1, &usr1, SFD_CLOEXEC)};
  ::raise(SIGUSR1);
  EXPECT_EQ(m_.call(SYS_read, signals.get(), m_.poisoned<signalfd_siginfo>(), sizeof(signalfd_siginfo)), 128);
  EXPECT_EQ(m_.call(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, m_.poisoned<std::uint64_t>(), 8), 0);
  EXPECT_EQ(m_.call(SYS_rt_sigaction, SIGUSR1, nullptr, m_.poisoned<char>(32), 8), 0);
  EXPECT_EQ(m_.call(SYS_sigaltstack, nullptr, m_.poisoned<stack_t>()), 0);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace xbdbg::test
