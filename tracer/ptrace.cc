#include "tracer/ptrace.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <string>

namespace xbdbg {

namespace {

constexpr char kPtraceHint[] =
    "this system restricts ptrace; try: sudo sysctl kernel.yama.ptrace_scope=1 (in a container: "
    "--cap-add=SYS_PTRACE --security-opt seccomp=unconfined)";

struct Request {
  __ptrace_request number;
  const char* name;
  Tid tid;
  unsigned long data = 0;
};

void log_call(const Logger* log, const Request& request, long result, int err) {
  if (log == nullptr) return;
  XB_LOG(*log, trace, "ptrace",
         std::string(request.name) + " " + std::to_string(request.tid.raw()) + " = " + std::to_string(result) +
             (err == 0 ? "" : std::string(" ") + std::strerror(err)));
}

Result<long> call(const Request& request, const Logger* log) {
  errno = 0;  // -1 can be data
  const long result = ::ptrace(request.number, request.tid.raw(), nullptr, reinterpret_cast<void*>(request.data));
  const int err = result == -1 ? errno : 0;
  log_call(log, request, result, err);
  if (err == 0) return result;
  const std::string attempted = std::string(request.name) + " " + std::to_string(request.tid.raw());
  if (err == ESRCH) return Error{Errc::target_gone, attempted + ": the thread is gone or not stopped", {}};
  return os_error(attempted, err == EPERM ? kPtraceHint : "", err);
}

}  // namespace

Result<Running> Running::seize(Tid tid, unsigned long options, const Logger* log) {
  XB_CHECK(call({PTRACE_SEIZE, "PTRACE_SEIZE", tid, options}, log));
  return Running(tid, log);
}

Result<> Running::interrupt() {
  XB_CHECK(call({PTRACE_INTERRUPT, "PTRACE_INTERRUPT", tid_}, log_));
  return Ok{};
}

Result<WaitOutcome> Running::wait() && {
  int status = 0;
  pid_t waited = -1;
  do {
    waited = ::waitpid(tid_.raw(), &status, __WALL);
  } while (waited < 0 && errno == EINTR);
  if (waited < 0) {
    const std::string attempted = "waitpid " + std::to_string(tid_.raw());
    if (errno == ECHILD) return Error{Errc::target_gone, attempted + ": the thread is gone", {}};
    return os_error(attempted);
  }
  if (WIFSTOPPED(status)) return WaitOutcome(Stopped(tid_, status, log_));
  return WaitOutcome(TraceeEnded{status});
}

int Stopped::signal() const { return WSTOPSIG(wait_status_); }

unsigned Stopped::event() const { return static_cast<unsigned>(wait_status_) >> 16; }

Result<user_regs_struct> Stopped::regs() const {
  user_regs_struct regs{};
  XB_CHECK(call({PTRACE_GETREGS, "PTRACE_GETREGS", tid_, reinterpret_cast<unsigned long>(&regs)}, log_));
  return regs;
}

Result<> Stopped::set_regs(const user_regs_struct& regs) const {
  XB_CHECK(call({PTRACE_SETREGS, "PTRACE_SETREGS", tid_, reinterpret_cast<unsigned long>(&regs)}, log_));
  return Ok{};
}

Result<Running> Stopped::resume(int signal_to_deliver) && {
  XB_CHECK(call({PTRACE_CONT, "PTRACE_CONT", tid_, static_cast<unsigned long>(signal_to_deliver)}, log_));
  return Running(tid_, log_);
}

Result<Running> Stopped::step() && {
  XB_CHECK(call({PTRACE_SINGLESTEP, "PTRACE_SINGLESTEP", tid_}, log_));
  return Running(tid_, log_);
}

Result<> Stopped::detach(int signal_to_deliver) && {
  XB_CHECK(call({PTRACE_DETACH, "PTRACE_DETACH", tid_, static_cast<unsigned long>(signal_to_deliver)}, log_));
  return Ok{};
}

}  // namespace xbdbg
