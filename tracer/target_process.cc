#include "tracer/target_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tracer/descendants.h"

namespace xbdbg {

namespace {

// All signals are held back around the fork, so that no handler of ours runs in the guard.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    (void)::sigprocmask(SIG_SETMASK, &all, &state_.mask);
    (void)::sigaction(SIGCHLD, nullptr, &state_.child_action);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { (void)::sigprocmask(SIG_SETMASK, &state_.mask, nullptr); }
  const SignalState& before() const { return state_; }

 private:
  SignalState state_{};
};

int poll_timeout(std::optional<std::chrono::milliseconds> timeout) {
  if (!timeout) return -1;
  constexpr std::chrono::milliseconds kLongest{3'600'000};
  return static_cast<int>(std::clamp(*timeout, std::chrono::milliseconds(0), kLongest).count());
}

}  // namespace

Result<TargetEvent> decode_wait_status(int status) {
  if (WIFEXITED(status)) return TargetEvent(TargetExited{WEXITSTATUS(status)});
  if (WIFSIGNALED(status)) return TargetEvent(TargetSignaled{WTERMSIG(status), WCOREDUMP(status) != 0});
  if (WIFSTOPPED(status)) return TargetEvent(TargetStopped{WSTOPSIG(status)});
  if (WIFCONTINUED(status)) return TargetEvent(TargetContinued{});
  return Error{Errc::os, "unknown wait status " + std::to_string(status), {}};
}

Result<TargetProcess> TargetProcess::fork_guarded(const TargetStart& start) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return os_error("socketpair");
  UniqueFd ours(ends[0]);
  UniqueFd guards(ends[1]);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return os_error("PR_SET_CHILD_SUBREAPER");
  pid_t guard = -1;
  {
    const pid_t self = ::getpid();
    SignalsBlocked blocked;
    guard = ::fork();
    if (guard == 0) run_guard({guards.get(), self, blocked.before(), start});
  }
  if (guard < 0) return os_error("fork", "too many processes; see `ulimit -u`");
  guards.reset();
  TargetProcess process(Pid(guard), std::move(ours));
  XB_CHECK(process.receive_pid());
  return process;
}

TargetProcess::TargetProcess(TargetProcess&& other) noexcept
    : guard_(std::exchange(other.guard_, Pid(-1))),
      control_(std::move(other.control_)),
      pid_(other.pid_),
      pidfd_(std::move(other.pidfd_)),
      statuses_(std::move(other.statuses_)),
      ended_(other.ended_) {}

TargetProcess& TargetProcess::operator=(TargetProcess&& other) noexcept {
  std::swap(guard_, other.guard_);
  std::swap(control_, other.control_);
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(statuses_, other.statuses_);
  std::swap(ended_, other.ended_);
  return *this;
}

TargetProcess::~TargetProcess() { kill_all(); }

std::optional<GuardMessage> TargetProcess::receive() {
  GuardMessage message;
  ssize_t n = -1;
  do {
    n = ::recv(control_.get(), &message, sizeof message, 0);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof message) return std::nullopt;
  return message;
}

Result<> TargetProcess::receive_pid() {
  const auto first = receive();
  if (!first) return Error{Errc::target_gone, "the guard process ended while starting the target", {}};
  if (first->kind == GuardMessageKind::fork_failed) {
    return os_error("fork", "too many processes; see `ulimit -u`", first->value);
  }
  pid_ = Pid(first->value);
  pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_.raw(), 0)));
  if (!pidfd_) return os_error("pidfd_open " + std::to_string(pid_.raw()));
  return Ok{};
}

Result<TargetEvent> TargetProcess::wait_event(std::optional<std::chrono::milliseconds> timeout) {
  if (ended_) return Error{Errc::target_gone, "the target has ended already", {}};
  int status = 0;
  if (!statuses_.empty()) {
    status = statuses_.front();
    statuses_.pop_front();
  } else {
    if (!control_) return Error{Errc::target_gone, "the target is gone", {}};
    pollfd readable{control_.get(), POLLIN, 0};
    const int ready = ::poll(&readable, 1, poll_timeout(timeout));
    if (ready == 0 || (ready < 0 && errno == EINTR)) return TargetEvent(WaitTimeout{});
    if (ready < 0) return os_error("poll");
    const auto message = receive();
    if (!message) {
      kill_all();
      return Error{Errc::target_gone, "the guard process (xb-guard) was killed, and the target with it", {}};
    }
    status = message->value;
  }
  ended_ = WIFEXITED(status) || WIFSIGNALED(status);
  return decode_wait_status(status);
}

Result<> TargetProcess::send_signal(int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0) == 0) return Ok{};
  const std::string attempted = "send signal " + std::to_string(signal) + " to process " + std::to_string(pid_.raw());
  if (errno == ESRCH) return Error{Errc::target_gone, attempted + ": it has ended", {}};
  return os_error(attempted);
}

void TargetProcess::kill_all() {
  if (guard_ == Pid(-1)) return;
  (void)::shutdown(control_.get(), SHUT_WR);  // the guard kills everything, tells the end of it, and exits
  reap_tracee();
  while (const auto message = receive()) {
    if (message->kind == GuardMessageKind::status) statuses_.push_back(message->value);
  }
  control_.reset();
  release_guard();
}

// A target that we were tracing when something went wrong dies for us first: the guard waits until we have seen it.
// Any other is not ours to wait for, and the kernel says so at once.
void TargetProcess::reap_tracee() {
  if (ended_) return;
  (void)send_signal(SIGKILL);
  int status = 0;
  while (::waitpid(pid_.raw(), &status, __WALL) == pid_.raw() && WIFSTOPPED(status)) {
  }
}

void TargetProcess::release_guard() {
  int status = 0;
  pid_t waited = -1;
  do {
    waited = ::waitpid(guard_.raw(), &status, 0);
  } while (waited < 0 && errno == EINTR);
  guard_ = Pid(-1);
  if (waited > 0 && WIFSIGNALED(status)) kill_orphans();
}

// The guard was killed before its time. We are the parent now of what it left; other children of ours, which are not
// from a target, are left alone. Whatever we reap hands its children to us, so a round that finds nobody is the last.
void TargetProcess::kill_orphans() {
  if (!ended_ && send_signal(SIGKILL)) (void)::waitpid(pid_.raw(), nullptr, __WALL);
  for (bool found = true; found;) {
    found = false;
    for (const pid_t child : children_of(::getpid())) {
      if (!runs_without_randomisation(child) || ::kill(child, SIGKILL) != 0) continue;
      found = ::waitpid(child, nullptr, __WALL) == child || found;
    }
  }
}

}  // namespace xbdbg
