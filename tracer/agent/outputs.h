// tracer/agent/outputs.h — the memory that the kernel has written in a system call, by the table (syscall_table.h).
//
// Recording needs it: limits_before() before the call is made, for_each_output() once its result is known. An area
// may be larger than what was written, but never larger than what the program offered, so that it can be read. After
// EFAULT, nothing is enumerated. Nothing here changes anything, and no memory is touched that the kernel has not
// accepted, except through AskKernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/agent/syscall_table.h"

namespace xbdbg::agent {

// Makes a system call that changes nothing: can this memory be read, how many semaphores are in the set.
using AskKernel = long (*)(long number, const long* args);

// What has to be known from before the call, because the kernel overwrites it.
struct OutputLimits {
  static constexpr long kMaxMessages = 1024;  // in one recvmmsg, as in the kernel

  AskKernel ask;
  std::uint32_t length;  // value_result, msghdr: the bytes offered for the address or the option
  std::uint32_t count;   // semctl: semaphores in the set; mmsghdr: names; *_iovec: 1 if the program's own is written
  std::uint8_t names[kMaxMessages];  // mmsghdr: the bytes offered for each address
};

OutputLimits limits_before(const SyscallInfo&, const long* args, AskKernel);

using OutputVisitor = void (*)(void* context, const void* address, std::uint64_t size);
void for_each_output(const SyscallInfo&, const long* args, long result, const OutputLimits&, OutputVisitor,
                     void* context);

// False: the call, if it succeeds, may write memory that we know nothing about (an ioctl of some driver).
bool outputs_known(const SyscallInfo&, const long* args);

}  // namespace xbdbg::agent
