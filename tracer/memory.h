// tracer/memory.h — reading and writing the memory of another process.
//
// process_vm_readv/writev first; where that is refused or the page forbids it, /proc/PID/mem. The process needs not
// be stopped; ptrace permission over it is needed. These see the bytes that are there, our own traps included.
#pragma once

#include <cstddef>
#include <span>

#include "tracer/base/ids.h"
#include "tracer/base/result.h"

namespace xbdbg {

// How many bytes from `from` on could be read: fewer than asked for where the next page is not readable. Nothing
// readable at all is an error.
Result<std::size_t> read_memory(Pid pid, Addr from, std::span<std::byte> into);

// All of it, or an error.
Result<> read_memory_exactly(Pid pid, Addr from, std::span<std::byte> into);
Result<> write_memory(Pid pid, Addr to, std::span<const std::byte> bytes);

}  // namespace xbdbg
