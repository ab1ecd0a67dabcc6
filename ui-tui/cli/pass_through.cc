#include "ui-tui/cli/pass_through.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

namespace xbdbg {
namespace {

// The one static: a signal handler has no other way to find anything.
std::atomic<int> caught_fd{-1};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free);

// SIGINT and SIGQUIT need no more than being caught. A terminal that hangs up tells the whole job: the target has
// that SIGHUP already.
void on_signal(int signal, siginfo_t* info, void*) {
  const bool for_target = signal == SIGTERM || (signal == SIGHUP && info->si_code != SI_KERNEL);
  if (!for_target) return;
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(signal);
  (void)!::write(caught_fd.load(std::memory_order_relaxed), &byte, 1);
  errno = saved;
}

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
  XB_TRY(made.caught_, make_pipe());
  for (const int fd : {made.caught_.read_end.get(), made.caught_.write_end.get()}) {
    if (::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) return os_error("make a pipe for signals");
  }
  caught_fd = made.caught_.write_end.get();
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (std::size_t i = 0; i < kCaught.size(); ++i) {
    (void)::sigaction(kCaught[i], nullptr, &made.old_[i]);
    if (made.old_[i].sa_handler != SIG_IGN) (void)::sigaction(kCaught[i], &action, nullptr);
  }
  made.active_ = true;
  return made;
}

PassThrough::PassThrough(PassThrough&& other) noexcept
    : caught_(std::move(other.caught_)), old_(other.old_), active_(std::exchange(other.active_, false)) {}

PassThrough::~PassThrough() {
  if (!active_) return;
  for (std::size_t i = 0; i < kCaught.size(); ++i) (void)::sigaction(kCaught[i], &old_[i], nullptr);
  caught_fd = -1;
}

Result<TargetEvent> PassThrough::wait_event(TargetProcess& process,
                                            std::optional<std::chrono::milliseconds> timeout) {
  std::array<pollfd, 2> fds{{{process.event_fd(), POLLIN, 0}, {caught_.read_end.get(), POLLIN, 0}}};
  if (::poll(fds.data(), fds.size(), poll_timeout(timeout)) < 0 && errno != EINTR) return os_error("poll");
  if ((fds[1].revents & POLLIN) != 0) XB_CHECK(forward(process));
  return process.wait_event(std::chrono::milliseconds(0));
}

Result<> PassThrough::forward(TargetProcess& process) {
  unsigned char signal = 0;
  while (::read(caught_.read_end.get(), &signal, 1) == 1) {
    const auto sent = process.send_signal(signal);
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
