#include "tracer/target_start.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tracer/base/str.h"

namespace xbdbg {

namespace {

constexpr int kStartFailedExit = 127;

[[noreturn]] void fail(const TargetStart& start, StartStep step) {
  const StartFailure failure{step, errno};
  (void)::send(start.launcher_fd, &failure, sizeof failure, MSG_NOSIGNAL);
  ::_exit(kStartFailedExit);
}

// Handlers are the launcher's code: they must not run in this process once signals are let in. Ignored ones stay
// ignored, as exec keeps them.
void drop_signal_handlers() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
    action = {};
    (void)::sigaction(number, &action, nullptr);
  }
}

void set_personality(const TargetStart& start) {
  const int ours = ::personality(0xffffffff);
  const auto wanted =
      start.as_recorded != nullptr ? start.as_recorded->personality : static_cast<unsigned long>(ours);
  if (ours < 0 || ::personality(wanted | ADDR_NO_RANDOMIZE) < 0) fail(start, StartStep::personality);
}

void pass_on(const TargetStart& start, int fd, int number) {
  if (::dup2(fd, number) < 0) fail(start, StartStep::arena);
}

// The kernel places mappings below the largest stack there may be.
void begin_as_recorded(const TargetStart& start) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0) fail(start, StartStep::stack_limit);
  limit.rlim_cur = start.as_recorded->stack_limit;
  if (::setrlimit(RLIMIT_STACK, &limit) != 0) fail(start, StartStep::stack_limit);
  if (::chdir(start.as_recorded->folder) != 0) fail(start, StartStep::folder);
}

void wait_for_go(const TargetStart& start) {
  char go = 0;
  ssize_t n = -1;
  do {
    n = ::recv(start.launcher_fd, &go, 1, 0);
  } while (n < 0 && errno == EINTR);
  if (n != 1) ::_exit(kStartFailedExit);  // the launcher is gone, or gave up
}

}  // namespace

void start_target(const TargetStart& start, const SignalState& signals, pid_t parent) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(start, StartStep::parent_death_signal);
  if (::getppid() != parent) ::_exit(kStartFailedExit);  // it died before the line above
  (void)::sigaction(SIGCHLD, &signals.child_action, nullptr);
  drop_signal_handlers();
  set_personality(start);
  pass_on(start, start.arena_fd, start.arena_fd_in_target);
  if (start.agent_fd >= 0) pass_on(start, start.agent_fd, start.agent_fd_in_target);
  if (start.as_recorded != nullptr) begin_as_recorded(start);
  wait_for_go(start);
  (void)::sigprocmask(SIG_SETMASK, &signals.mask, nullptr);
  (void)::execve(start.path, start.argv, start.env);
  fail(start, StartStep::exec);
}

Error describe_start_failure(const StartFailure& failure, const char* path) {
  const std::string program = "cannot run " + quoted(path);
  const int err = failure.error_number;
  switch (failure.step) {
    case StartStep::parent_death_signal:
      return os_error(program + ": PR_SET_PDEATHSIG", {}, err);
    case StartStep::personality:
      return os_error(program + ": turn address randomisation off (personality)",
                      "a container's seccomp filter forbids it; try: docker run --security-opt seccomp=unconfined",
                      err);
    case StartStep::arena:
      return os_error(program + ": pass the shared memory on", "try: ulimit -n 1024", err);
    case StartStep::stack_limit:
      return os_error(program + ": allow it the stack it was recorded with",
                      "the hard limit of `ulimit -s` is too low", err);
    case StartStep::folder:
      return os_error(program + ": enter the folder made for it", {}, err);
    case StartStep::exec: {
      const bool too_long = err == E2BIG;
      return os_error(program, too_long ? "shorten the arguments or the environment" : "", err);
    }
  }
  return os_error(program, {}, err);
}

}  // namespace xbdbg
