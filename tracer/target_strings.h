// tracer/target_strings.h — the strings that a stopped target passes to execve, as the kernel would read them.
#pragma once

#include <string>
#include <vector>

#include "tracer/base/ids.h"
#include "tracer/base/result.h"

namespace xbdbg {

// An error when it is not readable or longer than `max_bytes`.
Result<std::string> read_target_string(Pid pid, Addr at, std::size_t max_bytes);

// A list of pointers ended by 0, and what they point to. A null list is an empty one.
Result<std::vector<std::string>> read_target_strings(Pid pid, Addr list, std::size_t max_bytes);

// Puts a list of strings into the target's memory at `place`, pointers first, and moves `place` behind them. Returns
// the address of the pointers. `end`: as far as it may go.
Result<Addr> write_target_strings(Pid pid, Addr& place, Addr end, const std::vector<std::string>& strings);

}  // namespace xbdbg
