#include "tracer/agent/shared_memory.h"

#include "tracer/agent/maps.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

bool is_shared_memory(std::uint64_t address) {
  auto look = [&]() -> std::uint64_t {
    bool shared = false;
    find_mapping([&](const Mapping& m) {
      bool here = address >= m.begin && address < m.end;
      shared = here && m.permissions[3] == 's';
      return here;
    });
    return shared;
  };
  return observed(look) != 0;
}

}  // namespace xbdbg::agent
