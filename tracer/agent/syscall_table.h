// tracer/agent/syscall_table.h — what is known about every x86-64 Linux system call: one table (syscall_table.inc) that
// dispatching, recording, replaying, printing and docs/SYSCALLS.md all read.
//
// A row says: the name, who answers the call in the agent, its arguments (for printing), what memory the kernel writes,
// whether it can block, what a replay does with it, whether exploring could undo it, and whether its order among
// threads can be seen by any of them.
#pragma once

#include <cstdint>

namespace xbdbg::agent {

// How many bytes the kernel wrote at an argument, once the call has succeeded.
enum class Extent : std::uint8_t {
  none,
  fixed,         // `unit` bytes
  result,        // result * unit (at most what the program offered)
  argument,      // args[other] * unit
  value_result,  // a socklen_t at args[other]: as many as it says afterwards, at most as many as it said before; and it
  iovec,         // `result` bytes, spread over the iovec array at the argument (count in args[other])
  msghdr,        // recvmsg: the message header, its iovec, name and control data
  mmsghdr,       // recvmmsg: `result` of them
  special,       // depends on another argument (ioctl, fcntl, prctl, ...): outputs.cc knows
};

struct Output {
  std::uint8_t argument;  // 0..5
  Extent extent;
  std::uint8_t other;
  std::uint16_t unit;
};

enum class Blocking : std::uint8_t { never, may };

// What happens to the call when it is recorded and replayed.
enum class Replaying : std::uint8_t {
  emulate,  // the kernel's answer is in the journal; replay does not make the call
  execute,  // made again by the replay (memory, signal masks): its result is compared
  model,    // answered by the agent, out of its own state and what it took from the journal
  refuse,   // not understood: the run stops with its name and the call site
};

enum class Undo : std::uint8_t {
  nothing,  // changes nothing that outlives the schedule, or only the agent's own state
  memory,   // changes the address space: undone by the log of mappings
  scratch,  // changes files: they are written in a scratch area
  restart,  // cannot be undone: the program is started anew
};

struct SyscallInfo {
  const char* name;  // nullptr: no such call
  const char* arguments;  // one word each: kind:name, as "d:fd p:buffer u:size s:path x:flags" (see syscall_text.h)
  Output outputs[4];
  Blocking blocking;
  Replaying replaying;
  Undo undo;
  bool unseen;  // no switch before it
};

inline constexpr int kSyscallTableSize = 512;

const SyscallInfo& syscall_info(long number);  // of an unknown number: name is nullptr, Replaying::refuse

}  // namespace xbdbg::agent
