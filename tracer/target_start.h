// tracer/target_start.h — what the process that becomes the target does between fork and exec.
//
// Everything it needs is prepared by the launcher beforehand; it only makes system calls. It waits for the launcher
// to attach (one message, the go), and says what failed (a StartFailure) in the same socket, which exec closes.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>

#include "tracer/base/result.h"

namespace xbdbg {

// What a replay starts with in place of the launcher's own.
struct AsRecorded {
  std::uint64_t personality = 0;
  std::uint64_t stack_limit = 0;
  const char* folder = nullptr;  // working directory
};

struct TargetStart {
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* env = nullptr;
  int arena_fd = -1;
  int arena_fd_in_target = -1;  // where the target finds it
  int agent_fd = -1;            // the agent's library; -1: none
  int agent_fd_in_target = -1;
  int launcher_fd = -1;  // a SOCK_SEQPACKET socket to the launcher
  const AsRecorded* as_recorded = nullptr;
};

enum class StartStep : std::int32_t { parent_death_signal, personality, arena, stack_limit, folder, exec };

struct StartFailure {
  StartStep step = StartStep::exec;
  std::int32_t error_number = 0;
};

// The signal state of the launcher, which the target starts with.
struct SignalState {
  sigset_t mask{};
  struct sigaction child_action {};
};

// `parent` is the process that forked this one; when it is gone already, there is nothing to start.
[[noreturn]] void start_target(const TargetStart& start, const SignalState& signals, pid_t parent);

Error describe_start_failure(const StartFailure& failure, const char* path);

}  // namespace xbdbg
