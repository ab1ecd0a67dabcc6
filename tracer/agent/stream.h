// tracer/agent/stream.h — the agent's end of the output stream, and its last words (protocol.h).
#pragma once

#include "tracer/agent/policy.h"
#include "tracer/agent/thread.h"

namespace xbdbg::agent {

void set_name(Thread&, const char* name);
void write_name(const Thread&);
void write_choice(const Question&, std::uint32_t answer);
[[noreturn]] void report_schedule_mismatch(const Question&);

}  // namespace xbdbg::agent
