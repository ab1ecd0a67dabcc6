#include "ui-tui/cli/pass_through.h"

#include <poll.h>
#include <sys/signalfd.h>

#include <array>
#include <string>
#include <utility>

namespace xbdbg {
namespace {

// Is the process stopped (and not by a tracer)? The state is the first word behind the name, which is in parentheses
// and may itself contain any.
bool is_stopped(Pid pid) {
  const auto stat = read_whole_file("/proc/" + std::to_string(pid.raw()) + "/stat", 4096);
  if (!stat) return false;
  const std::size_t name_end = stat->rfind(") ");
  return name_end != std::string::npos && stat->substr(name_end + 2, 1) == "T";
}

int poll_timeout(std::optional<std::chrono::milliseconds> timeout) {
  return timeout ? static_cast<int>(timeout->count()) : -1;
}

}  // namespace

Result<PassThrough> PassThrough::begin() {
  PassThrough made;
  sigset_t forwarded;
  ::sigemptyset(&forwarded);
  ::sigaddset(&forwarded, SIGTERM);
  ::sigaddset(&forwarded, SIGHUP);
  made.signals_ = UniqueFd(::signalfd(-1, &forwarded, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!made.signals_) return os_error("signalfd");
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  (void)::sigaction(SIGINT, &ignore, &made.old_interrupt_);
  (void)::sigaction(SIGQUIT, &ignore, &made.old_quit_);
  (void)::sigprocmask(SIG_BLOCK, &forwarded, &made.old_mask_);
  made.active_ = true;
  return made;
}

PassThrough::PassThrough(PassThrough&& other) noexcept
    : signals_(std::move(other.signals_)),
      old_mask_(other.old_mask_),
      old_interrupt_(other.old_interrupt_),
      old_quit_(other.old_quit_),
      active_(std::exchange(other.active_, false)) {}

PassThrough::~PassThrough() {
  if (!active_) return;
  (void)::sigaction(SIGINT, &old_interrupt_, nullptr);
  (void)::sigaction(SIGQUIT, &old_quit_, nullptr);
  (void)::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

Result<TargetEvent> PassThrough::wait_event(TargetProcess& process,
                                            std::optional<std::chrono::milliseconds> timeout) {
  std::array<pollfd, 2> fds{{{process.event_fd(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
  if (::poll(fds.data(), fds.size(), poll_timeout(timeout)) < 0 && errno != EINTR) return os_error("poll");
  if ((fds[1].revents & POLLIN) != 0) XB_CHECK(forward(process));
  return process.wait_event(std::chrono::milliseconds(0));
}

Result<> PassThrough::forward(TargetProcess& process) {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    // A terminal that hangs up tells the whole job: the target has it already.
    if (info.ssi_code == SI_KERNEL) continue;
    const auto sent = process.send_signal(static_cast<int>(info.ssi_signo));
    if (!sent && sent.error().code != Errc::target_gone) return sent.error();
  }
  return Ok{};
}

Result<> PassThrough::stop_with(TargetProcess& process) {
  // A stop of the whole job has stopped us as well, and this runs when it goes on: give the target, which is being
  // continued at the same time, a moment before believing that it alone was stopped.
  constexpr std::chrono::milliseconds kMoment{50};
  pollfd readable{process.event_fd(), POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(kMoment.count())) != 0 || !is_stopped(process.pid())) return Ok{};
  (void)::raise(SIGSTOP);
  if (!is_stopped(process.pid())) return Ok{};
  const auto sent = process.send_signal(SIGCONT);
  if (!sent && sent.error().code != Errc::target_gone) return sent.error();
  return Ok{};
}

}  // namespace xbdbg
