#include "tracer/exec_stop.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstring>

#include "tracer/auxv.h"
#include "tracer/base/str.h"
#include "tracer/base/unique_fd.h"
#include "tracer/injected_call.h"
#include "tracer/memory.h"
#include "tracer/memory_map.h"

namespace xbdbg {

namespace {

constexpr std::size_t kMaxStackBytes = 32u << 20;  // arguments and environment are bounded by 6 MiB, and pointers
constexpr std::size_t kMaxMapsBytes = 1u << 20;

// "xbdbg" seeds the stack protector's canary and glibc's pointer guard; the canary's first byte is made 0 by glibc.
constexpr std::array<unsigned char, 16> kRandomBytes = {0x58, 0x42, 0x44, 0x42, 0x47, 0x9e, 0x37, 0x79,
                                                        0xb9, 0x7f, 0x4a, 0x7c, 0x15, 0xf3, 0x9c, 0xc0};

struct FreshStack {
  Addr pointer{};
  std::vector<std::uint64_t> words{};  // from the stack pointer to its end
  StartStack layout{};

  Result<std::string> text(Addr at) const {
    const auto* bytes = reinterpret_cast<const char*>(words.data());
    const std::size_t size = words.size() * sizeof words[0], offset = at - pointer;
    const std::size_t length = at < pointer || offset >= size ? 0 : ::strnlen(bytes + offset, size - offset);
    if (at < pointer || offset + length >= size) {
      return Error{Errc::os, fmt::format("the new program's stack has no text at {:#x}", at.raw()), {}};
    }
    return std::string(bytes + offset, length);
  }
};

// All of it: read_memory stops where the stack does.
Result<FreshStack> read_fresh_stack(const Stopped& at_exec) {
  const Pid pid(at_exec.tid().raw());
  XB_TRY(const user_regs_struct regs, at_exec.regs());
  FreshStack stack{Addr(regs.rsp)};
  for (std::size_t bytes = 64u << 10;; bytes *= 8) {
    stack.words.resize(bytes / sizeof stack.words[0]);
    XB_TRY(const std::size_t got, read_memory(pid, stack.pointer, std::as_writable_bytes(std::span(stack.words))));
    stack.words.resize(got / sizeof stack.words[0]);
    if (got < bytes || bytes > kMaxStackBytes) break;
  }
  auto layout = parse_start_stack(stack.words, stack.pointer);
  if (!layout) return Error{Errc::os, "the auxiliary vector of the new program was not found", {}};
  stack.layout = *std::move(layout);
  return stack;
}

Result<> write_entry(Pid pid, StartStack& layout, std::size_t index, const AuxvEntry& entry) {
  layout.auxv[index] = entry;
  return write_memory(pid, layout.place(index), std::as_bytes(std::span(&layout.auxv[index], 1)));
}

Result<> fix_auxv(Pid pid, StartStack& layout) {
  for (std::size_t i = 0; i < layout.auxv.size(); ++i) {
    const AuxvEntry entry = layout.auxv[i];
    if (entry.type == AT_RANDOM) {
      XB_CHECK(write_memory(pid, Addr(entry.value), std::as_bytes(std::span(kRandomBytes))));
    }
    if (entry.type == AT_SYSINFO_EHDR) XB_CHECK(write_entry(pid, layout, i, {AT_IGNORE, 0}));
  }
  return Ok{};
}

bool is_vdso(const MemoryMapping& mapping) { return mapping.path == "[vdso]" || mapping.path.rfind("[vvar", 0) == 0; }

Result<Stopped> unmap_vdso(Stopped stopped) {
  const std::string maps = fmt::format("/proc/{}/maps", stopped.tid().raw());
  XB_TRY(const std::string text, read_whole_file(maps, kMaxMapsBytes));
  XB_TRY(const std::vector<MemoryMapping> mappings, parse_memory_map(text));
  for (const MemoryMapping& mapping : mappings) {
    if (!is_vdso(mapping)) continue;
    XB_TRY(InjectedResult unmapped,
           inject_call(std::move(stopped), {SYS_munmap, {mapping.start, mapping.end - mapping.start}}));
    stopped = std::move(unmapped.stopped);
  }
  return stopped;
}

Result<std::string> link_target(const std::string& link) {
  std::array<char, PATH_MAX> target;
  const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
  if (n < 0) return os_error("readlink " + link);
  return std::string(target.data(), static_cast<std::size_t>(n));
}

Result<std::vector<std::string>> texts(const FreshStack& stack, const std::vector<Addr>& pointers) {
  std::vector<std::string> strings;
  strings.reserve(pointers.size());
  for (const Addr pointer : pointers) {
    XB_TRY(std::string string, stack.text(pointer));
    strings.push_back(std::move(string));
  }
  return strings;
}

Result<StartImage> read_start(Pid pid, const FreshStack& stack) {
  const std::string folder = fmt::format("/proc/{}/", pid.raw());
  StartImage start;
  XB_TRY(start.executable, link_target(folder + "exe"));
  XB_TRY(start.working_directory, link_target(folder + "cwd"));
  XB_TRY(start.name, stack.text(Addr(stack.layout.value(AT_EXECFN).value_or(0))));
  XB_TRY(start.argv, texts(stack, stack.layout.argv));
  XB_TRY(start.env, texts(stack, stack.layout.env));
  start.auxv = stack.layout.auxv;
  start.stack_pointer = stack.pointer.raw();
  rlimit limit{};
  if (::prlimit(pid.raw(), RLIMIT_STACK, nullptr, &limit) != 0) return os_error("prlimit RLIMIT_STACK");
  start.stack_limit = limit.rlim_cur;
  XB_TRY(const std::string persona, read_whole_file(folder + "personality", 64));
  XB_TRY(start.personality, parse_u64(trim(persona), "personality", 16));
  return start;
}

Error starts_differently(const std::string& what, std::uint64_t is, std::uint64_t was) {
  return Error{
      Errc::unsupported,
      fmt::format("the program does not start as it was recorded: {} is {:#x}, and was {:#x}", what, is, was),
      "it, its loader or the kernel is another version; replay where it was recorded, or record again"};
}

// Facts about the user and the machine that the program is told, and that change nothing in how it is loaded.
bool is_only_told(std::uint64_t type) {
  constexpr std::array<std::uint64_t, 7> kTold = {AT_UID,   AT_EUID,   AT_GID, AT_EGID,
                                                  AT_HWCAP, AT_CLKTCK, 51 /* AT_MINSIGSTKSZ */};
  return std::find(kTold.begin(), kTold.end(), type) != kTold.end();
}

Result<> restore_auxv(Pid pid, StartStack& layout, const std::vector<AuxvEntry>& recorded) {
  if (layout.auxv.size() != recorded.size()) {
    return starts_differently("the number of auxiliary values", layout.auxv.size(), recorded.size());
  }
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const AuxvEntry is = layout.auxv[i], was = recorded[i];
    if (is == was || is.type == AT_HWCAP2) continue;
    if (is.type != was.type) return starts_differently("the type of an auxiliary value", is.type, was.type);
    if (!is_only_told(is.type))
      return starts_differently(fmt::format("auxiliary value {}", is.type), is.value, was.value);
    XB_CHECK(write_entry(pid, layout, i, was));
  }
  return Ok{};
}

Result<> restore_name(Pid pid, const FreshStack& stack, const std::string& recorded) {
  const auto at = stack.layout.value(AT_EXECFN);
  if (!at) return Ok{};
  XB_TRY(const std::string name, stack.text(Addr(*at)));
  if (name.size() != recorded.size())
    return starts_differently("the length of its name", name.size(), recorded.size());
  return write_memory(pid, Addr(*at), std::as_bytes(std::span(recorded)));
}

// Relative paths in LD_LIBRARY_PATH and the like; where the folder is gone the loader will say what it misses.
Result<Stopped> enter_folder(Stopped stopped, Addr stack_pointer, const std::string& folder) {
  constexpr std::uint64_t kBelow = 2 * PATH_MAX;
  if (folder.size() >= PATH_MAX) return stopped;
  const Addr place = stack_pointer - kBelow;
  const std::span<const char> text(folder.c_str(), folder.size() + 1);
  const std::vector<std::byte> nothing(text.size());
  XB_CHECK(write_memory(Pid(stopped.tid().raw()), place, std::as_bytes(text)));
  XB_TRY(InjectedResult entered, inject_call(std::move(stopped), {SYS_chdir, {place.raw()}}));
  XB_CHECK(write_memory(Pid(entered.stopped.tid().raw()), place, nothing));
  return std::move(entered.stopped);
}

Result<PreparedProgram> prepare(Stopped at_exec, const StartImage* as_recorded) {
  const Pid pid(at_exec.tid().raw());
  XB_TRY(FreshStack stack, read_fresh_stack(at_exec));
  XB_CHECK(fix_auxv(pid, stack.layout));
  XB_TRY(Stopped stopped, unmap_vdso(std::move(at_exec)));
  if (as_recorded == nullptr) {
    XB_TRY(StartImage start, read_start(pid, stack));
    return PreparedProgram{std::move(stopped), std::move(start)};
  }
  if (stack.pointer.raw() != as_recorded->stack_pointer) {
    return starts_differently("its stack pointer", stack.pointer.raw(), as_recorded->stack_pointer);
  }
  XB_CHECK(restore_name(pid, stack, as_recorded->name));
  XB_CHECK(restore_auxv(pid, stack.layout, as_recorded->auxv));
  XB_TRY(stopped, enter_folder(std::move(stopped), stack.pointer, as_recorded->working_directory));
  return PreparedProgram{std::move(stopped), *as_recorded};
}

// The end of a process that we trace reaches its parent only after it has reached us.
void end_tracee(Pid pid) {
  (void)::kill(pid.raw(), SIGKILL);
  int status = 0;
  while (::waitpid(pid.raw(), &status, __WALL) > 0 && !WIFEXITED(status) && !WIFSIGNALED(status)) {
  }
}

}  // namespace

Result<PreparedProgram> prepare_program(Stopped at_exec, const StartImage* as_recorded) {
  const Pid pid(at_exec.tid().raw());
  auto prepared = prepare(std::move(at_exec), as_recorded);
  if (!prepared) end_tracee(pid);
  return prepared;
}

}  // namespace xbdbg
