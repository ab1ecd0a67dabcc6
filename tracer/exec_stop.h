// tracer/exec_stop.h — what is done with a new program at its exec stop, before its first instruction.
//
// AT_RANDOM's bytes are fixed and the vDSO goes away (clock reads are then system calls, and where libraries are
// mapped does not depend on the kernel's vDSO). Recording, the state it begins with is read off. Replaying, it is
// made what it was, or the difference is an error: a program that starts elsewhere would only diverge later.
#pragma once

#include <optional>

#include "tracer/base/result.h"
#include "tracer/ptrace.h"
#include "tracer/start_image.h"

namespace xbdbg {

struct PreparedProgram {
  Stopped stopped;
  StartImage start{};
};

// `as_recorded` may be null. The program was then executed under a name of the recorded one's length
// (start_folder.h). An error ends the program.
Result<PreparedProgram> prepare_program(Stopped at_exec, const StartImage* as_recorded);

}  // namespace xbdbg
