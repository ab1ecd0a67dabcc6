// tracer/base/assert.h — checks of our own invariants, on in release builds.
//
// A failed XB_ASSERT is a bug in xbdbg, never the fault of the user's program or input: bad input is a
// Result (result.h). The message starts with "xbdbg: internal error:" so that a user can tell the two apart.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace xbdbg {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "xbdbg: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace xbdbg

#define XB_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::xbdbg::assertion_failed(#condition, __FILE__, __LINE__))
