#include "tracer/ptrace.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <string>

namespace xbdbg {

namespace {

constexpr char kPtraceHint[] =
    "this system restricts ptrace; try: sudo sysctl kernel.yama.ptrace_scope=1 (in a container: "
    "--cap-add=SYS_PTRACE --security-opt seccomp=unconfined)";

// errno is cleared first because -1 can be data.
Result<long> call(__ptrace_request request, const char* name, Tid tid, void* address, void* data) {
  errno = 0;
  const long result = ::ptrace(request, tid.raw(), address, data);
  if (result != -1 || errno == 0) return result;
  const std::string attempted = std::string(name) + " " + std::to_string(tid.raw());
  if (errno == ESRCH) return Error{Errc::target_gone, attempted + ": the thread is gone or not stopped", {}};
  return os_error(attempted, errno == EPERM ? kPtraceHint : "");
}

void* as_pointer(unsigned long value) { return reinterpret_cast<void*>(value); }

}  // namespace

Result<Running> Running::seize(Tid tid, unsigned long options) {
  XB_CHECK(call(PTRACE_SEIZE, "PTRACE_SEIZE", tid, nullptr, as_pointer(options)));
  return Running(tid);
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
  if (WIFSTOPPED(status)) return WaitOutcome(Stopped(tid_, status));
  return WaitOutcome(TraceeEnded{status});
}

int Stopped::signal() const { return WSTOPSIG(wait_status_); }

unsigned Stopped::event() const { return static_cast<unsigned>(wait_status_) >> 16; }

Result<user_regs_struct> Stopped::regs() const {
  user_regs_struct regs{};
  XB_CHECK(call(PTRACE_GETREGS, "PTRACE_GETREGS", tid_, nullptr, &regs));
  return regs;
}

Result<Running> Stopped::resume(int signal_to_deliver) && {
  XB_CHECK(
      call(PTRACE_CONT, "PTRACE_CONT", tid_, nullptr, as_pointer(static_cast<unsigned long>(signal_to_deliver))));
  return Running(tid_);
}

Result<> Stopped::detach(int signal_to_deliver) && {
  XB_CHECK(
      call(PTRACE_DETACH, "PTRACE_DETACH", tid_, nullptr, as_pointer(static_cast<unsigned long>(signal_to_deliver))));
  return Ok{};
}

}  // namespace xbdbg
