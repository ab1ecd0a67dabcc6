// tracer/syscall_text.h — system calls as people read them: `read(3, 0x7ffff7d00010, 4096)`, `5`, `-1 ENOENT`.
//
// Only numbers are known here, not the program's memory: a path is printed as its address. The table's words for
// arguments (syscall_table.h) are a kind and a name, kind:name (kind?name for an optional one). The kinds:
//
//   d  int             f  file descriptor       s  text, such as a path     O  flags of open
//   u  unsigned long   x  flags, in hex         p  pointer                  P  protection of memory
//   l  long            o  mode, in octal        S  signal                   M  flags of mmap
//   C  clock           W  operation on a futex
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xbdbg {

struct SyscallArgument {
  char kind;
  bool optional;
  std::string_view name;
};

// In the table's words; none for a call that does not exist.
std::vector<SyscallArgument> syscall_arguments(long number);

std::string syscall_name(long number);  // "syscall_999" where there is no such call
std::string call_text(long number, std::span<const std::uint64_t, 6> args);
std::string call_result_text(std::int64_t result);  // what the kernel returned: a value, or a negative errno

}  // namespace xbdbg
