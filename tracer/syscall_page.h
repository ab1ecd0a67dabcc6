// tracer/syscall_page.h — docs/SYSCALLS.md: what xbdbg knows about every system call, printed from the table.
#pragma once

#include <string>

namespace xbdbg {

std::string all_syscalls_as_markdown();

}  // namespace xbdbg
