#include "tracer/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tracer/descendants.h"

namespace xbdbg {

namespace {

constexpr int kKillRoundMs = 10;  // look again after this time if nobody ended meanwhile

void send(const GuardSetup& setup, GuardMessageKind kind, int value) {
  const GuardMessage message{kind, value};
  (void)::send(setup.control_fd, &message, sizeof message, MSG_NOSIGNAL);
}

std::vector<int> open_fds() {
  std::vector<int> fds;
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    fds.push_back(std::atoi(entries->path().filename().c_str()));
  }
  return fds;
}

// xbdbg's own descriptors (all are CLOEXEC) must not stay open here: an end of another guard's control socket would
// keep that guard from noticing xbdbg's death.
void close_inherited(const GuardSetup& setup) {
  for (const int fd : open_fds()) {
    if (fd == setup.control_fd || fd == setup.target.launcher_fd || fd == setup.target.arena_fd ||
        fd == setup.target.agent_fd) {
      continue;
    }
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) (void)::close(fd);
  }
}

// Once the target has its copies, the guard holds nothing but its socket: no pipe of the user's stays open for it.
void close_all_but(int kept) {
  const auto keep = static_cast<unsigned>(kept);
  if (keep > 0) (void)::syscall(SYS_close_range, 0u, keep - 1, 0u);
  (void)::syscall(SYS_close_range, keep + 1, ~0u, 0u);
}

enum class Children { some, none };

// Takes in whoever ended or changed state, without waiting; tells xbdbg about the target.
Children reap(const GuardSetup& setup, pid_t target) {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED | __WALL);
    if (pid == 0) return Children::some;
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return Children::none;
    if (pid == target) send(setup, GuardMessageKind::status, status);
  }
}

void empty(int signal_fd) {
  std::array<signalfd_siginfo, 16> taken;
  while (::read(signal_fd, taken.data(), sizeof taken) > 0) {
  }
}

// See NOTE [Killing until none is left].
void kill_everything(const GuardSetup& setup, pid_t target, int signal_fd) {
  while (reap(setup, target) == Children::some) {
    if (kill_descendants_once() == KillOutcome::cannot_kill) return;
    pollfd child_changed{signal_fd, POLLIN, 0};
    (void)::poll(&child_changed, 1, kKillRoundMs);
    empty(signal_fd);
  }
}

// Until xbdbg hangs up or dies. The pid descriptor is there for the case that a copy of xbdbg's end of the socket
// is open somewhere else.
void relay(const GuardSetup& setup, pid_t target, int signal_fd, int parent_fd) {
  for (;;) {
    std::array<pollfd, 3> fds{{{setup.control_fd, POLLIN, 0}, {signal_fd, POLLIN, 0}, {parent_fd, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[0].revents != 0 || fds[2].revents != 0) return;
    if (fds[1].revents != 0) {
      empty(signal_fd);
      (void)reap(setup, target);
    }
  }
}

}  // namespace

void run_guard(const GuardSetup& setup) {
  sigset_t all;
  sigfillset(&all);
  (void)::sigprocmask(SIG_SETMASK, &all, nullptr);
  struct sigaction default_action {};
  (void)::sigaction(SIGCHLD, &default_action, nullptr);  // if ignored, there would be nothing to wait for
  (void)::prctl(PR_SET_NAME, kGuardName);
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
  close_inherited(setup);
  if (::getppid() != setup.parent) ::_exit(0);  // xbdbg died already, and nothing was started

  const pid_t guard = ::getpid();
  const pid_t target = ::fork();
  if (target == 0) start_target(setup.target, setup.signals, guard);
  if (target < 0) {
    send(setup, GuardMessageKind::fork_failed, errno);
    ::_exit(0);
  }
  close_all_but(setup.control_fd);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int signal_fd = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  const auto parent_fd = static_cast<int>(::syscall(SYS_pidfd_open, setup.parent, 0));
  send(setup, GuardMessageKind::target_pid, target);
  if (::getppid() == setup.parent) relay(setup, target, signal_fd, parent_fd);
  kill_everything(setup, target, signal_fd);
  ::_exit(0);
}

}  // namespace xbdbg
