#include "tracer/syscall_page.h"

#include <fmt/format.h>

#include "tracer/agent/syscall_table.h"
#include "tracer/syscall_text.h"

namespace xbdbg {
namespace {

using agent::Blocking;
using agent::Extent;
using agent::Output;
using agent::Replaying;
using agent::SyscallInfo;
using agent::Undo;
using agent::When;

constexpr std::string_view kIntroduction =
    R"(<!-- Made by: xbdbg help --syscalls > docs/SYSCALLS.md -->

# System calls

What xbdbg knows about every system call of x86-64 Linux. This page, recording, replaying and `xbdbg dump` read the same
table, `tracer/agent/syscall_table.inc`.

- **Kernel writes**: the memory of the program that the call changes, by argument. It is kept in a recording.
- **Waits**: it can wait for something that another thread, process or machine has to do. Other threads run meanwhile.
- **Replay**
  - *emulated*: its result and the memory it wrote come from the recording; the call is not made.
  - *executed*: made again, because it changes the program's own memory; its result must be the recorded one.
  - *modelled*: xbdbg answers it, out of what it knows about threads, signals and time, recording and replaying alike.
  - *absent*: the program is told `ENOSYS`, as by a kernel that lacks it, and does what it does there.
  - *refused*: recording stops with a message that names the call and the place where it was made.
- **Undo**: what has to be done to take it back, when the program's schedules are explored.

)";

std::string_view replaying_text(Replaying replaying) {
  switch (replaying) {
    case Replaying::emulate:
      return "emulated";
    case Replaying::execute:
      return "executed";
    case Replaying::model:
      return "modelled";
    case Replaying::absent:
      return "absent";
    case Replaying::refuse:
      return "refused";
  }
  return "";
}

std::string_view undo_text(Undo undo) {
  switch (undo) {
    case Undo::nothing:
      return "nothing";
    case Undo::memory:
      return "memory";
    case Undo::scratch:
      return "files";
    case Undo::restart:
      return "restart";
  }
  return "";
}

std::string_view when_text(When when) {
  switch (when) {
    case When::success:
      return "";
    case When::positive:
      return " (if the result is not 0)";
    case When::interrupted:
      return " (also when interrupted)";
    case When::too_small:
      return " (also when too small)";
    case When::any:
      return " (also on errors)";
  }
  return "";
}

std::string bytes_text(const Output& o, std::string_view other) {
  switch (o.extent) {  // clang-format off
    case Extent::fixed: return o.unit == 1 ? "1 byte" : fmt::format("{} bytes", o.unit);
    case Extent::result: return o.unit == 1 ? "as the result says" : fmt::format("{} bytes per result", o.unit);
    case Extent::argument: return o.unit == 1 ? fmt::format("{} bytes", other) : fmt::format("{} * {} bytes", other, o.unit);
    case Extent::bits:
    case Extent::node_mask: return fmt::format("{} bits", other);
    case Extent::pages: return fmt::format("a byte per page of {}", other);
    case Extent::value_result: return fmt::format("as {} says, and that", other);
    case Extent::iovec: return "the buffers, as the result says";
    case Extent::own_iovec: return "the buffers, if they are its own";
    case Extent::pipe_iovec: return "the buffers, out of a pipe";
    case Extent::msghdr:
    case Extent::mmsghdr: return "header, name, control data, buffers";
    case Extent::message: return "its type, and as the result says";
    case Extent::sysfs: return "a text";
    case Extent::syslog:
    case Extent::xattr_args: return "as the result says";
    case Extent::file_handle: return "as its header says, and the mount";
    case Extent::none: case Extent::arch_prctl: case Extent::capget: case Extent::capset: case Extent::clone:
    case Extent::clone3: case Extent::fcntl: case Extent::ioctl: case Extent::keyctl: case Extent::msgctl:
    case Extent::prctl: case Extent::quotactl: case Extent::seccomp: case Extent::semctl: case Extent::shmctl:
      return "depends on the other arguments";
  }  // clang-format on
  return "";
}

std::string outputs_text(const SyscallInfo& info, const std::vector<SyscallArgument>& arguments) {
  std::string text;
  for (const Output& o : info.outputs) {
    if (o.extent == Extent::none) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("`{}`: {}{}", arguments[o.argument].name, bytes_text(o, arguments[o.other].name),
                        when_text(o.when));
  }
  return text;
}

std::string row(long number, const SyscallInfo& info) {
  const auto arguments = syscall_arguments(number);
  std::string call = fmt::format("`{}`(", info.name);
  for (const SyscallArgument& argument : arguments) {
    if (&argument != arguments.data()) call += ", ";
    call += argument.optional ? fmt::format("[{}]", argument.name) : std::string(argument.name);
  }
  std::string replaying{replaying_text(info.replaying)};
  if (info.reason != nullptr) replaying += fmt::format(": {}", info.reason);
  return fmt::format("| {} | {}) | {} | {} | {} | {} |\n", number, call, outputs_text(info, arguments),
                     info.blocking == Blocking::may ? "yes" : "", replaying, undo_text(info.undo));
}

}  // namespace

std::string all_syscalls_as_markdown() {
  std::string page{kIntroduction};
  page += "| | Call | Kernel writes | Waits | Replay | Undo |\n| --- | --- | --- | --- | --- | --- |\n";
  for (long number = 0; number < agent::kSyscallTableSize; ++number) {
    const SyscallInfo& info = agent::syscall_info(number);
    if (info.name != nullptr) page += row(number, info);
  }
  return page;
}

}  // namespace xbdbg
