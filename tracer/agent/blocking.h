// tracer/agent/blocking.h — what the calls that may wait for the world have in common (blocking.cc, io_calls.cc).
#pragma once

#include "tracer/agent/calls.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

// What poll cannot tell: look again every few milliseconds.
inline constexpr ExternalWait kLookAgain{ExternalWait::Kind::poll_again, nullptr, 0, 0};

// Makes the call and blocks the process. Handlers run inside it, and the kernel restarts it or not as it would.
long block_for_real(const Call&);

// Parks the thread until the world may have changed. 0: look again; -ETIMEDOUT; -EINTR.
long park(Operation, std::uint64_t object, std::uint64_t deadline, const ExternalWait&, bool restartable,
          const Caller&);

// Waits until the descriptor is ready. 0: it is, or it never waits (O_NONBLOCK); else the error that ends the call.
long wait_ready(int fd, short events, const Caller&);

// When the wait that begins now is over according to SO_RCVTIMEO or SO_SNDTIMEO, if it is a socket that has one.
std::uint64_t socket_deadline(int fd, int option);

}  // namespace xbdbg::agent
