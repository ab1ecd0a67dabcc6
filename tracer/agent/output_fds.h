// tracer/agent/output_fds.h — which descriptors lead to what was standard output or error when the program started.
//
// What is written there is the output of the program: it goes into the journal, and a replay writes it again.
// Followed through dup and its kin; unknown to children, which write natively.
#pragma once

#include <sys/uio.h>

#include "tracer/agent/calls.h"

namespace xbdbg::agent {

class OutputFds {
 public:
  void init();
  // Before a call is made: true: it would write there what we cannot see (sendfile, splice), so that it has to fail
  // as it does where it is not supported, and the program writes by itself.
  bool must_fail(const Call&) const;
  void after(const Call&, long result);
  // Replaying: the recording ends with this call, without an answer. If it wrote output, that was seen: who kills a
  // program does it, more often than not, because of what it has just written.
  void unanswered(const Call&);
  void bequeath(Heritage&) const;  // over an exec: those that it does not close
  void inherit(const Heritage&);

 private:
  static constexpr int kMax = kMaxOutputFds;
  int stream_of(long fd) const { return fd >= 0 && fd < kMax ? streams_[fd] : 0; }
  void set(long fd, int stream) {
    if (fd >= 0 && fd < kMax) streams_[fd] = static_cast<std::uint8_t>(stream);
  }
  void written(int stream, const iovec* pieces, int count, long result);
  static void print(int stream, const iovec* pieces, int count, std::uint64_t bytes);

  std::uint8_t streams_[kMax];  // 0: neither; 1, 2
};

}  // namespace xbdbg::agent
