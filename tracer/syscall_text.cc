#include "tracer/syscall_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "tracer/agent/syscall_table.h"

namespace xbdbg {
namespace {

struct Flag {
  std::uint64_t bits;
  std::string_view name;
};

// Those of several bits come before those they contain.
constexpr Flag kOpenFlags[] = {{O_SYNC, "O_SYNC"},           {O_DSYNC, "O_DSYNC"},       {__O_TMPFILE, "O_TMPFILE"},
                               {O_CREAT, "O_CREAT"},         {O_EXCL, "O_EXCL"},         {O_NOCTTY, "O_NOCTTY"},
                               {O_TRUNC, "O_TRUNC"},         {O_APPEND, "O_APPEND"},     {O_NONBLOCK, "O_NONBLOCK"},
                               {O_ASYNC, "O_ASYNC"},         {O_DIRECT, "O_DIRECT"},     {0100000, "O_LARGEFILE"},
                               {O_DIRECTORY, "O_DIRECTORY"}, {O_NOFOLLOW, "O_NOFOLLOW"}, {O_NOATIME, "O_NOATIME"},
                               {O_CLOEXEC, "O_CLOEXEC"},     {O_PATH, "O_PATH"}};
constexpr Flag kProtections[] = {{PROT_READ, "PROT_READ"},
                                 {PROT_WRITE, "PROT_WRITE"},
                                 {PROT_EXEC, "PROT_EXEC"},
                                 {PROT_GROWSDOWN, "PROT_GROWSDOWN"},
                                 {PROT_GROWSUP, "PROT_GROWSUP"}};
constexpr Flag kMapFlags[] = {{3, "MAP_SHARED_VALIDATE"},
                              {MAP_SHARED, "MAP_SHARED"},
                              {MAP_PRIVATE, "MAP_PRIVATE"},
                              {MAP_FIXED_NOREPLACE, "MAP_FIXED_NOREPLACE"},
                              {MAP_FIXED, "MAP_FIXED"},
                              {MAP_ANONYMOUS, "MAP_ANONYMOUS"},
                              {MAP_GROWSDOWN, "MAP_GROWSDOWN"},
                              {MAP_DENYWRITE, "MAP_DENYWRITE"},
                              {MAP_LOCKED, "MAP_LOCKED"},
                              {MAP_NORESERVE, "MAP_NORESERVE"},
                              {MAP_POPULATE, "MAP_POPULATE"},
                              {MAP_NONBLOCK, "MAP_NONBLOCK"},
                              {MAP_STACK, "MAP_STACK"},
                              {MAP_HUGETLB, "MAP_HUGETLB"},
                              {MAP_SYNC, "MAP_SYNC"}};
constexpr std::string_view kClocks[] = {"CLOCK_REALTIME",          "CLOCK_MONOTONIC",     "CLOCK_PROCESS_CPUTIME_ID",
                                        "CLOCK_THREAD_CPUTIME_ID", "CLOCK_MONOTONIC_RAW", "CLOCK_REALTIME_COARSE",
                                        "CLOCK_MONOTONIC_COARSE",  "CLOCK_BOOTTIME",      "CLOCK_REALTIME_ALARM",
                                        "CLOCK_BOOTTIME_ALARM",    "CLOCK_SGI_CYCLE",     "CLOCK_TAI"};
constexpr std::string_view kFutexOperations[] = {"FUTEX_WAIT",           "FUTEX_WAKE",        "FUTEX_FD",
                                                 "FUTEX_REQUEUE",        "FUTEX_CMP_REQUEUE", "FUTEX_WAKE_OP",
                                                 "FUTEX_LOCK_PI",        "FUTEX_UNLOCK_PI",   "FUTEX_TRYLOCK_PI",
                                                 "FUTEX_WAIT_BITSET",    "FUTEX_WAKE_BITSET", "FUTEX_WAIT_REQUEUE_PI",
                                                 "FUTEX_CMP_REQUEUE_PI", "FUTEX_LOCK_PI2"};

void append(std::string& text, std::string_view word) {
  if (!text.empty()) text += '|';
  text += word;
}

std::string flags_text(std::uint64_t bits, std::span<const Flag> flags, std::string text = "") {
  for (const Flag& flag : flags) {
    if ((bits & flag.bits) != flag.bits) continue;
    append(text, flag.name);
    bits &= ~flag.bits;
  }
  if (bits != 0) append(text, fmt::format("{:#x}", bits));
  return text.empty() ? "0" : text;
}

std::string open_flags_text(std::uint64_t bits) {
  constexpr std::string_view kAccess[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
  return flags_text(bits & ~std::uint64_t{O_ACCMODE}, kOpenFlags, std::string(kAccess[bits & O_ACCMODE]));
}

std::string protection_text(std::uint64_t bits) {
  return bits == PROT_NONE ? "PROT_NONE" : flags_text(bits, kProtections);
}

std::string futex_text(std::uint64_t bits) {
  constexpr Flag kExtra[] = {{FUTEX_PRIVATE_FLAG, "FUTEX_PRIVATE_FLAG"},
                             {FUTEX_CLOCK_REALTIME, "FUTEX_CLOCK_REALTIME"}};
  const std::uint64_t operation = bits & ~std::uint64_t{FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME};
  if (operation >= std::size(kFutexOperations)) return fmt::format("{:#x}", bits);
  return flags_text(bits & ~operation, kExtra, std::string(kFutexOperations[operation]));
}

std::string clock_text(int clock) {
  if (clock >= 0 && static_cast<std::size_t>(clock) < std::size(kClocks)) return std::string(kClocks[clock]);
  return fmt::format("{}", clock);  // that of a process or a thread
}

std::string signal_text(int signo) {
  const char* name = signo > 0 ? ::sigabbrev_np(signo) : nullptr;
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("{}", signo);
}

std::string pointer_text(std::uint64_t address) { return address == 0 ? "NULL" : fmt::format("{:#x}", address); }

// Of an int only half of the register counts: the other half may hold anything.
std::string argument_text(char kind, std::uint64_t value) {
  const int number = static_cast<int>(value);
  const std::uint64_t low = static_cast<std::uint32_t>(value);
  switch (kind) {
    case 'd':
      return fmt::format("{}", number);
    case 'f':
      return number == AT_FDCWD ? "AT_FDCWD" : fmt::format("{}", number);
    case 'u':
      return fmt::format("{}", value);
    case 'l':
      return fmt::format("{}", static_cast<std::int64_t>(value));
    case 'o':
      return fmt::format("{:#o}", low);
    case 'p':
    case 's':
      return pointer_text(value);
    case 'S':
      return signal_text(number);
    case 'C':
      return clock_text(number);
    case 'W':
      return futex_text(low);
    case 'O':
      return open_flags_text(low);
    case 'P':
      return protection_text(value);
    case 'M':
      return flags_text(value, kMapFlags);
    default:
      return value == 0 ? "0" : fmt::format("{:#x}", value);
  }
}

}  // namespace

std::vector<SyscallArgument> syscall_arguments(long number) {
  std::vector<SyscallArgument> found;
  std::string_view words = agent::syscall_info(number).arguments;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    found.push_back({word.front(), word[1] == '?', word.substr(2)});
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return found;
}

std::string syscall_name(long number) {
  const char* name = agent::syscall_info(number).name;
  return name != nullptr ? name : fmt::format("syscall_{}", number);
}

// An optional argument that is 0 was probably not meant to be there.
std::string call_text(long number, std::span<const std::uint64_t, 6> args) {
  std::string text = syscall_name(number) + "(";
  auto arguments = syscall_arguments(number);
  while (!arguments.empty() && arguments.back().optional && args[arguments.size() - 1] == 0) arguments.pop_back();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i != 0) text += ", ";
    text += argument_text(arguments[i].kind, args[i]);
  }
  return text + ")";
}

std::string call_result_text(std::int64_t result) {
  constexpr std::int64_t kLargestErrno = 4095, kSmallestAddress = 1 << 30;
  if (result < 0 && result >= -kLargestErrno) {
    const char* name = ::strerrorname_np(static_cast<int>(-result));
    return name != nullptr ? fmt::format("-1 {}", name) : fmt::format("-1 errno {}", -result);
  }
  if (result < 0 || result >= kSmallestAddress) return fmt::format("{:#x}", static_cast<std::uint64_t>(result));
  return fmt::format("{}", result);
}

}  // namespace xbdbg
