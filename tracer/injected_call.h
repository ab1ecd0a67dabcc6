// tracer/injected_call.h — a system call made by a traced, stopped thread on our behalf.
//
// Two bytes where the thread stands become a `syscall` instruction for one step, and everything is put back. Meant
// for a program that has not begun (at its exec stop): no signal handler of its own can come in between.
#pragma once

#include <array>
#include <cstdint>

#include "tracer/base/result.h"
#include "tracer/ptrace.h"

namespace xbdbg {

struct InjectedCall {
  std::uint64_t number = 0;
  std::array<std::uint64_t, 3> args{};
};

struct InjectedResult {
  Stopped stopped;
  std::int64_t value = 0;  // the kernel's: negative errno values
};

Result<InjectedResult> inject_call(Stopped stopped, const InjectedCall& call);

}  // namespace xbdbg
