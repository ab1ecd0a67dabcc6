#include "tracer/agent/syscall_table.h"

namespace xbdbg::agent {
namespace {

// Every word has one of the marks as its second character.
constexpr std::uint8_t words_with(const char* text, char mark) {
  int words = 0;
  for (; *text != '\0'; ++text) words += *text == mark ? 1 : 0;
  return static_cast<std::uint8_t>(words);
}

struct Table {
  SyscallInfo rows[kSyscallTableSize + 1] = {};  // the last one: no such call

  constexpr Table() {
    for (SyscallInfo& row : rows) {
      row.arguments = "";
      row.replaying = Replaying::refuse;
    }
#define OUT_IF(when, argument, extent, other, unit) \
  Output { argument, Extent::extent, other, unit, When::when }
#define OUT(argument, extent, other, unit) OUT_IF(success, argument, extent, other, unit)
#define XB_LIST(...) __VA_ARGS__
#define XB_ROW(number, name, arguments, reason, outputs, blocking, replaying, undo, order)            \
  rows[number] = {#name,                                                                              \
                  arguments,                                                                          \
                  reason,                                                                             \
                  {XB_LIST outputs},                                                                  \
                  Blocking::blocking,                                                                 \
                  Replaying::replaying,                                                               \
                  Undo::undo,                                                                         \
                  Order::order,                                                                       \
                  static_cast<std::uint8_t>(words_with(arguments, ':') + words_with(arguments, '?')), \
                  words_with(arguments, ':')};
#define XB_SYSCALL(number, name, handler, arguments, outputs, blocking, replaying, undo, order) \
  XB_ROW(number, name, arguments, nullptr, outputs, blocking, replaying, undo, order)
#define XB_ABSENT(number, name, arguments, reason) \
  XB_ROW(number, name, arguments, reason, (), never, absent, nothing, seen)
#define XB_REFUSED(number, name, arguments, reason) \
  XB_ROW(number, name, arguments, reason, (), never, refuse, restart, seen)
#include "tracer/agent/syscall_table.inc"
#undef XB_SYSCALL
#undef XB_ROW
#undef XB_LIST
#undef OUT
#undef OUT_IF
  }
};

constinit const Table table;

}  // namespace

const SyscallInfo& syscall_info(long number) {
  return table.rows[number >= 0 && number < kSyscallTableSize ? number : kSyscallTableSize];
}

}  // namespace xbdbg::agent
