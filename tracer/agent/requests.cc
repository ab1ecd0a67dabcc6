#include "tracer/agent/requests.h"

#include <linux/futex.h>

#include "tracer/agent/ring.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

std::int64_t ask_xbdbg(RequestKind kind, std::int64_t argument0, std::int64_t argument1) {
  constexpr std::uint32_t kAsked = 1, kAnswered = 2;
  Request& r = rt.arena->request;
  r.kind = kind;
  r.args[0] = argument0;
  r.args[1] = argument1;
  r.text[0] = 0;
  r.state.store(kAsked, std::memory_order_release);
  ring_bell();
  while (r.state.load(std::memory_order_acquire) != kAnswered) sys(SYS_futex, &r.state, FUTEX_WAIT, kAsked, 0);
  r.state.store(0, std::memory_order_relaxed);
  return r.answer;
}

}  // namespace xbdbg::agent
