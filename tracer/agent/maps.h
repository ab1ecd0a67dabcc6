// tracer/agent/maps.h — the process's own mappings, from /proc/self/maps, read without libc.
#pragma once

#include <cstdint>

namespace xbdbg::agent {

struct Mapping {
  std::uint64_t begin, end;
  char permissions[4];  // "rw-p"
  char name[256];       // the path, or "[heap]", or ""; cut off if longer
};

// Calls visit for each mapping, until it returns true.
void find_mapping(bool (*visit)(void* context, const Mapping&), void* context);

template <class F>
void find_mapping(F f) {
  find_mapping([](void* context, const Mapping& m) { return (*static_cast<F*>(context))(m); }, &f);
}

}  // namespace xbdbg::agent
