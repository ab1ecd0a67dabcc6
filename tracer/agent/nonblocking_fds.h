// tracer/agent/nonblocking_fds.h — descriptors that the program itself made non-blocking: calls on them never wait,
// and need no look beforehand. One that is not known here may still be non-blocking (inherited, or made so
// elsewhere).
#pragma once

#include "tracer/agent/calls.h"

namespace xbdbg::agent {

class NonblockingFds {
 public:
  bool known(long fd) const { return fd >= 0 && fd < kMax && known_[fd]; }
  void after(const Call&, long result);  // each call of the program, and what it returned

 private:
  static constexpr long kMax = 4096;
  void set(long fd, bool nonblocking) {
    if (fd >= 0 && fd < kMax) known_[fd] = nonblocking;
  }

  bool known_[kMax];
};

}  // namespace xbdbg::agent
