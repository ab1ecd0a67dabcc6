#include "tracer/agent/real.h"

#include <dlfcn.h>
#include <grp.h>

namespace xbdbg::agent {

const char* find_real_functions(Real* real) {
#define XB_FIND(name)                                                           \
  real->name = reinterpret_cast<decltype(real->name)>(dlsym(RTLD_NEXT, #name)); \
  if (!real->name) return #name;
  XB_FOR_EACH_REAL(XB_FIND)
#undef XB_FIND
  return nullptr;
}

}  // namespace xbdbg::agent
