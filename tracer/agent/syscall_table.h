// tracer/agent/syscall_table.h — what is known about every x86-64 Linux system call: one table (syscall_table.inc)
// that dispatching, recording, replaying, printing and docs/SYSCALLS.md all read.
//
// A row says: the number and name, who answers the call in the agent, its arguments (for printing), what memory the
// kernel writes, whether it can block, what a replay does with it, whether exploring could undo it, and whether its
// order among threads can be seen by any of them. Data only: outputs.h walks over the memory a call has written.
#pragma once

#include <cstdint>

namespace xbdbg::agent {

// How many bytes the kernel wrote at an argument.
enum class Extent : std::uint8_t {
  none,
  fixed,         // `unit` bytes
  result,        // result * unit, at most args[other] * unit
  argument,      // args[other] * unit
  bits,          // one for each of args[other], in whole longs (select)
  pages,         // one byte for each page of args[other] bytes (mincore)
  value_result,  // a socklen_t at args[other]: as many as it says afterwards, at most as many as it said before; and
                 // it
  iovec,         // `result` bytes, spread over the iovec array at the argument (count in args[other])
  msghdr,        // recvmsg: in the message header, its iovec, name and control data
  mmsghdr,       // recvmmsg: `result` of them
  message,       // msgrcv: the type in front, and `result` bytes
  // These depend on more than that, each in its way (command_outputs.cc, ioctl_outputs.cc).
  arch_prctl,
  capget,
  capset,
  clone,
  clone3,
  fcntl,
  file_handle,
  ioctl,
  keyctl,
  msgctl,
  node_mask,
  own_iovec,   // process_vm_writev: another process may be our own
  pipe_iovec,  // vmsplice: only out of a pipe
  prctl,
  quotactl,
  seccomp,
  semctl,
  shmctl,
  sysfs,
  syslog,
  xattr_args,
};

// After which results it has been written.
enum class When : std::uint8_t {
  success,      // >= 0
  positive,     // > 0
  interrupted,  // >= 0 or EINTR
  too_small,    // >= 0, or the error that says so (E2BIG, ERANGE, EOVERFLOW)
  any,          // everything but EFAULT
};

struct Output {
  std::uint8_t argument;  // 0..5; nothing is written when it is a null pointer
  Extent extent;
  std::uint8_t other;
  std::uint16_t unit;
  When when;
};

// Can it wait for something that another thread, process or machine has to do?
enum class Blocking : std::uint8_t { never, may };

// What happens to the call when it is recorded and replayed.
enum class Replaying : std::uint8_t {
  emulate,  // the kernel's answer is in the journal; replay does not make the call
  execute,  // made again by the replay (memory, signal masks): its result is compared
  model,    // answered by the agent, out of its own state and what it took from the journal
  absent,   // answered with ENOSYS, as by a kernel without it: programs know what to do instead
  refuse,   // not understood: the run stops with its name and the call site
};

enum class Undo : std::uint8_t {
  nothing,  // changes nothing that outlives the schedule, or only the agent's own state
  memory,   // changes the address space: undone by the log of mappings
  scratch,  // changes files: they are written in a scratch area
  restart,  // cannot be undone: the program is started anew
};

enum class Order : std::uint8_t {
  seen,    // a thread can see whether it came before or after a step of another one: a switch may happen before it
  unseen,  // no thread can: no switch before it
};

struct SyscallInfo {
  const char* name;       // nullptr: no such call
  const char* arguments;  // one word each: kind:name, as "s:path O:flags o?mode" (see syscall_text.h); ?: optional
  const char* reason;     // why it is absent or refused; else nullptr
  Output outputs[4];
  Blocking blocking;
  Replaying replaying;
  Undo undo;
  Order order;
  std::uint8_t argument_count;  // more registers than these are not part of the call
  std::uint8_t required_count;  // of the others it depends on these whether they are
};

inline constexpr int kSyscallTableSize = 512;

const SyscallInfo& syscall_info(long number);  // of an unknown number: name is nullptr, Replaying::refuse

}  // namespace xbdbg::agent
