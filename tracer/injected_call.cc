#include "tracer/injected_call.h"

#include <csignal>

#include "tracer/memory.h"

namespace xbdbg {

namespace {

constexpr std::array<unsigned char, 2> kSyscallInstruction = {0x0f, 0x05};

// A step from an exec stop first ends the execve itself, which writes its result over rax: then once more.
Result<Stopped> step_over(Stopped stopped, const user_regs_struct& regs) {
  constexpr int kMaxStops = 16;
  for (int i = 0; i < kMaxStops; ++i) {
    const Tid tid = stopped.tid();
    XB_CHECK(stopped.set_regs(regs));
    XB_TRY(Running running, std::move(stopped).step());
    XB_TRY(WaitOutcome outcome, std::move(running).wait());
    if (std::holds_alternative<TraceeEnded>(outcome)) {
      return Error{Errc::target_gone, "process " + std::to_string(tid.raw()) + " was killed while it started", {}};
    }
    stopped = std::get<Stopped>(std::move(outcome));
    XB_TRY(const user_regs_struct now, stopped.regs());
    if (now.rip != regs.rip) return stopped;
  }
  return Error{Errc::os, "a system call of the new program could not be made", {}};
}

}  // namespace

Result<InjectedResult> inject_call(Stopped stopped, const InjectedCall& call) {
  const Pid pid(stopped.tid().raw());
  XB_TRY(const user_regs_struct before, stopped.regs());
  std::array<std::byte, kSyscallInstruction.size()> code{};
  XB_CHECK(read_memory_exactly(pid, Addr(before.rip), code));
  XB_CHECK(write_memory(pid, Addr(before.rip), std::as_bytes(std::span(kSyscallInstruction))));
  user_regs_struct regs = before;
  regs.rax = call.number;
  regs.orig_rax = ~0ull;  // there is no call to go on with
  regs.rdi = call.args[0];
  regs.rsi = call.args[1];
  regs.rdx = call.args[2];
  XB_TRY(Stopped after, step_over(std::move(stopped), regs));
  XB_TRY(const user_regs_struct result, after.regs());
  XB_CHECK(write_memory(pid, Addr(before.rip), code));
  user_regs_struct restored = before;
  restored.orig_rax = ~0ull;
  XB_CHECK(after.set_regs(restored));
  return InjectedResult{std::move(after), static_cast<std::int64_t>(result.rax)};
}

}  // namespace xbdbg
