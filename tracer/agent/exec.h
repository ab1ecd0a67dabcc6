// tracer/agent/exec.h — the program becomes another one: what it takes with it.
#pragma once

#include "tracer/agent/protocol.h"

namespace xbdbg::agent {

// In the new program, once everything is set up: the clocks go on, an alarm stays armed (see Heritage).
void inherit();

}  // namespace xbdbg::agent
