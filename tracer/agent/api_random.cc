// tracer/agent/api_random.cc — std::random_device, which would use rdrand or rdseed: instructions that neither trap
// nor can be recorded. It gets its numbers from the kernel instead.

#include "tracer/agent/interpose.h"

namespace xbdbg::agent {

extern "C" __attribute__((visibility("default"))) unsigned xb_random_device_getval(void*) asm(
    "_ZNSt13random_device9_M_getvalEv");

unsigned xb_random_device_getval(void*) {
  unsigned value = 0;
  if (!engaged()) {
    sys(SYS_getrandom, &value, sizeof value, 0);
    return value;
  }
  AgentScope scope;
  world(SYS_getrandom, &value, sizeof value, 0);
  return value;
}

}  // namespace xbdbg::agent
