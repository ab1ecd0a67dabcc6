// tests/bench/measure.h — what running a command costs, seen from outside.
//
// A program under xbdbg has a virtual clock, so it cannot time itself. Commands that are compared take turns
// (`measure`), so that a disturbance meets all of them, and the least of each is kept: on a shared machine noise only
// ever adds.
#pragma once

#include <string>
#include <vector>

#include "tracer/base/result.h"

namespace xbdbg::bench {

struct Cost {
  double wall_s = 0;
  double cpu_s = 0;  // user and system, of the command and all that it waited for
};

struct Command {
  std::vector<std::string> argv{};
  bool one_core = false;  // pinned to one processor
};

struct Measured {
  Cost least{};       // of each, over the repetitions; not necessarily from the same one
  std::string out{};  // standard output of the last repetition
};

// A command that fails, or is killed, is an error.
Result<std::vector<Measured>> measure(const std::vector<Command>& commands, int repetitions);

}  // namespace xbdbg::bench
