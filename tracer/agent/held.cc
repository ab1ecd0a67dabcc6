// tracer/agent/held.cc — which locks each thread holds, and where it took them (for reports, and for lock chains).

#include <string.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

void unhold_any(std::uint64_t object) {
  auto remove = [&](ThreadView& v) {
    std::uint32_t listed = v.held_count < kMaxHeld ? v.held_count : kMaxHeld;
    for (std::uint32_t i = listed; i-- > 0;)
      if (v.held[i].object == object) {
        memmove(&v.held[i], &v.held[i + 1], (listed - i - 1) * sizeof v.held[0]);
        v.held_count--;
        return true;
      }
    return false;
  };
  if (remove(*self().view)) return;
  // A normal mutex, a rwlock or a spinlock may be released by a thread that did not take it.
  if (rt.threads.find_live([&](Thread& t) { return remove(*t.view); })) return;
  if (self().view->held_count > kMaxHeld) self().view->held_count--;
}

}  // namespace xbdbg::agent
