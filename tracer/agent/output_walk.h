// tracer/agent/output_walk.h — what outputs.cc shares with command_outputs.cc and ioctl_outputs.cc: one walk over the
// memory that one call has written.
#pragma once

#include "tracer/agent/outputs.h"

namespace xbdbg::agent {

struct OutputWalk {
  const long* args;
  long result;
  const OutputLimits& before;
  OutputVisitor visit;
  void* context;

  void area(long address, std::uint64_t size) const {
    if (address != 0 && size != 0) visit(context, reinterpret_cast<const void*>(address), size);
  }
  // Bytes as the result says, at most as many as were offered.
  std::uint64_t result_of(long offered) const {
    const auto bytes = static_cast<std::uint64_t>(result), limit = static_cast<std::uint64_t>(offered);
    return bytes < limit ? bytes : limit;
  }
};

// A value in the program's memory, which the kernel has read or written without an error.
template <class T>
T value_at(long address, std::uint64_t offset = 0) {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const char*>(address) + offset, sizeof value);
  return value;
}

// The bytes that a command writes at its argument.
struct CommandSize {
  std::uint32_t command;
  std::uint16_t size;
};

template <std::size_t n>
const CommandSize* find_command(const CommandSize (&table)[n], long command) {
  for (const CommandSize& row : table) {
    if (row.command == static_cast<std::uint32_t>(command)) return &row;
  }
  return nullptr;
}

inline constexpr long kSemGetAll = 13;

// command_outputs.cc: calls whose command decides what is written, each in its way.
void arch_prctl_outputs(const OutputWalk&);
void capget_outputs(const OutputWalk&);
void capset_outputs(const OutputWalk&);
void clone_outputs(const OutputWalk&);
void clone3_outputs(const OutputWalk&);
void fcntl_outputs(const OutputWalk&);
void file_handle_outputs(const OutputWalk&);
void keyctl_outputs(const OutputWalk&);
void msgctl_outputs(const OutputWalk&);
void prctl_outputs(const OutputWalk&);
void quotactl_outputs(const OutputWalk&, long command);
void seccomp_outputs(const OutputWalk&);
void semctl_outputs(const OutputWalk&);
void shmctl_outputs(const OutputWalk&);
void sysfs_outputs(const OutputWalk&);
void syslog_outputs(const OutputWalk&);
void xattr_outputs(const OutputWalk&);
bool fcntl_known(int command);
bool prctl_known(int option);

// ioctl_outputs.cc
void ioctl_outputs(const OutputWalk&);
bool ioctl_known(std::uint32_t request);

}  // namespace xbdbg::agent
