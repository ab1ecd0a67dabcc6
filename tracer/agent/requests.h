// tracer/agent/requests.h — asking xbdbg for what only it can do, and waiting for the answer (protocol.h: Request).
#pragma once

#include "tracer/agent/protocol.h"

namespace xbdbg::agent {

std::int64_t ask_xbdbg(RequestKind, std::int64_t argument0 = 0, std::int64_t argument1 = 0);

}  // namespace xbdbg::agent
