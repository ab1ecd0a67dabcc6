#include "ui-tui/target_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "tracer/base/str.h"
#include "tracer/base/unique_fd.h"
#include "tracer/memory.h"
#include "tracer/memory_map.h"
#include "tracer/symbols/unwinder.h"

namespace xbdbg {
namespace {

constexpr std::size_t kMaxMapBytes = 64u << 20;

constexpr std::size_t kMaxFrames = 32;
constexpr char kAgentFile[] = "libxbdbg-agent.so";

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool is_c_library(const Module& module) { return file_name(module.path).rfind("libc.", 0) == 0; }

// Not the insides of a header of the system (std::lock_guard, std::thread), and not _start, which is linked into
// every program and says nothing: what is called from there was called by nobody.
bool is_users_own(const SourceSite& site) {
  return site.function != "_start" && site.file.rfind("/usr/include/", 0) != 0 &&
         site.file.rfind("/usr/lib/", 0) != 0;
}

class ProcessMemory : public MemoryReader {
 public:
  explicit ProcessMemory(Pid pid) : pid_(pid) {}
  bool read(Addr address, std::span<std::byte> out) override {
    return static_cast<bool>(read_memory_exactly(pid_, address, out));
  }

 private:
  Pid pid_;
};

class CopiedStack : public MemoryReader {
 public:
  CopiedStack(Addr start, std::span<const std::byte> bytes) : start_(start), bytes_(bytes) {}
  bool read(Addr address, std::span<std::byte> out) override {
    const std::uint64_t offset = address - start_;
    if (address < start_ || offset > bytes_.size() || out.size() > bytes_.size() - offset) return false;
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
    return true;
  }

 private:
  Addr start_;
  std::span<const std::byte> bytes_;
};

RegisterSet registers(std::uint64_t pc, std::uint64_t sp, std::uint64_t bp) {
  RegisterSet set;
  set.set(Reg::rip, pc);
  set.set(Reg::rsp, sp);
  set.set(Reg::rbp, bp);
  return set;
}

// What the object takes up in memory: it tells `pool` from `pool.lock`, its first member.
std::uint64_t size_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::mutex:
      return 40;
    case ObjectKind::rwlock:
      return 56;
    case ObjectKind::condition:
      return 48;
    case ObjectKind::barrier:
    case ObjectKind::semaphore:
      return 32;
    case ObjectKind::spinlock:
    case ObjectKind::once:
    case ObjectKind::futex:
      return 4;
    case ObjectKind::none:
    case ObjectKind::thread:
    case ObjectKind::descriptor:
      return 0;
  }
  return 0;
}

}  // namespace

TargetSymbols::TargetSymbols(std::string working_directory) : folder_(std::move(working_directory)) {
  if (!folder_.empty() && folder_.back() != '/') folder_ += '/';
}

Result<> TargetSymbols::refresh(Pid pid) {
  const std::string proc = "/proc/" + std::to_string(pid.raw());
  XB_TRY(const std::string text, read_whole_file(proc + "/maps", kMaxMapBytes));
  if (text.empty()) return Error{Errc::target_gone, "read the memory map of the target: it has ended", {}};
  XB_TRY(const auto mappings, parse_memory_map(text));
  std::error_code ignored;
  program_ = std::filesystem::read_symlink(proc + "/exe", ignored).string();
  symbols_.set_modules(ModuleMap::build(mappings, images_));
  places_.clear();
  return Ok{};
}

bool TargetSymbols::is_program(Addr address) const {
  const Module* module = symbols_.modules().find(address);
  return module != nullptr && module->path == program_;
}

std::string TargetSymbols::shown_path(const std::string& path) const {
  if (folder_.size() > 1 && path.compare(0, folder_.size(), folder_) == 0) return path.substr(folder_.size());
  return path;
}

std::vector<SourceSite> TargetSymbols::sites_of(const Location& location) const {
  std::vector<SourceSite> sites;
  for (const SourceFrame& frame : location.frames) {
    sites.push_back({.function = frame.function, .file = shown_path(frame.file), .line = frame.line});
  }
  if (sites.empty()) sites.emplace_back();
  // Without a source file, the name of the library is still a help.
  if (sites.back().file.empty()) sites.back().file = file_name(location.module);
  return sites;
}

const TargetSymbols::Place& TargetSymbols::place(Addr return_address) {
  const auto [at, is_new] = places_.try_emplace(return_address.raw());
  if (!is_new) return at->second;
  std::vector<SourceSite> sites = sites_of(symbols_.lookup_return_address(return_address));
  const auto own = std::find_if(sites.begin(), sites.end(), is_users_own);
  at->second.is_users_own = own != sites.end() && is_program(return_address);
  at->second.site = std::move(own != sites.end() ? *own : sites.front());
  return at->second;
}

SourceSite TargetSymbols::site(Addr return_address) { return place(return_address).site; }

std::optional<Addr> TargetSymbols::program_address(const agent::EventRecord& event,
                                                   std::span<const std::byte> stack) {
  const Addr pc(event.pc);
  if (is_program(pc) && place(pc).is_users_own) return pc;
  CopiedStack memory(Addr(event.sp), stack);
  const Backtrace found =
      Unwinder(symbols_.modules(), memory).unwind(registers(event.pc, event.sp, event.bp), kMaxFrames);
  for (const StackFrame& frame : found.frames) {
    if (is_program(frame.pc) && place(frame.pc).is_users_own) return frame.pc;
  }
  const Module* module = symbols_.modules().find(pc);
  if (module == nullptr || is_c_library(*module)) return std::nullopt;
  return pc;
}

std::vector<SourceSite> TargetSymbols::backtrace(Pid pid, const agent::ThreadView& thread) {
  ProcessMemory memory(pid);
  std::vector<StackFrame> frames =
      Unwinder(symbols_.modules(), memory)
          .unwind(registers(thread.waiting_pc, thread.waiting_sp, thread.waiting_bp), kMaxFrames)
          .frames;
  // Behind the last frame of the program are only those that start a thread, or the program.
  std::size_t end = frames.size();
  while (end > 0 && !(is_program(frames[end - 1].pc) && place(frames[end - 1].pc).is_users_own)) --end;
  if (end != 0) frames.resize(end);
  std::vector<SourceSite> sites;
  for (const StackFrame& frame : frames) {
    const Module* module = symbols_.modules().find(frame.pc);
    if (module != nullptr && file_name(module->path) == kAgentFile) continue;
    // All are return addresses, the first one too: it is where the call into the agent will return to.
    for (SourceSite& site : sites_of(symbols_.lookup_return_address(frame.pc))) {
      if (end == 0 || is_users_own(site)) sites.push_back(std::move(site));
    }
  }
  return sites;
}

std::optional<std::string> TargetSymbols::global(ObjectKind kind, Addr address) {
  std::string name = symbols_.object_name(address, size_of(kind));
  if (name.empty()) return std::nullopt;
  return name;
}

}  // namespace xbdbg
