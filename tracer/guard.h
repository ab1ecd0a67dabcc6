// tracer/guard.h — the process between xbdbg and the target, which sees to it that no target outlives xbdbg.
//
// xbdbg forks the guard, the guard forks the target. It is a child subreaper, so whatever the target's descendants do
// (double fork, setsid), they stay below the guard. It passes the target's wait statuses on to xbdbg, and when xbdbg
// closes the control socket or dies, by whatever signal, kills everything below itself and exits. If the guard itself
// is killed, the target dies with it (PR_SET_PDEATHSIG) and xbdbg, a subreaper too, kills the rest (TargetProcess).
//
// It runs in a fork of xbdbg, without exec; its name is xb-guard, so that `pkill xbdbg` does not end it, too. All
// signals that can be blocked are: what the terminal sends is meant for the target and for xbdbg.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <type_traits>

#include "tracer/target_start.h"

namespace xbdbg {

inline constexpr char kGuardName[] = "xb-guard";

enum class GuardMessageKind : std::int32_t {
  target_pid,   // value: the process id; the first message
  fork_failed,  // value: errno; the first and last message
  status,       // value: the target's wait status, as from waitpid with WUNTRACED and WCONTINUED
};

// What goes over the control socket (SOCK_SEQPACKET), from guard to xbdbg. Nothing is sent the other way.
struct GuardMessage {
  GuardMessageKind kind = GuardMessageKind::status;
  std::int32_t value = 0;
};

struct GuardSetup {
  int control_fd = -1;  // the guard's end
  pid_t parent = -1;    // xbdbg
  SignalState signals{};
  TargetStart target{};
};

[[noreturn]] void run_guard(const GuardSetup& setup);

}  // namespace xbdbg
