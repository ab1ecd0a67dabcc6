#include "replay/pack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "replay/trace_files.h"
#include "replay/trace_meta.h"
#include "tracer/base/str.h"
#include "tracer/symbols/debug_file.h"
#include "tracer/symbols/elf_summary.h"

namespace xbdbg {

namespace fs = std::filesystem;

namespace {

class Packer {
 public:
  Packer(const Trace& trace, const PackOptions& options)
      : trace_(trace), options_(options), meta_{trace.info(), trace.packed()} {
    for (const PackedFile& file : meta_.packed) known_.insert(file.path);
  }

  Result<PackSummary> pack() {
    XB_CHECK(add_module(trace_.info().program));
    XB_CHECK(add_module(trace_.info().agent));
    for (const KeptFile& file : trace_.files()) {
      if (file.copy.empty()) XB_CHECK(add_module(file.original));
    }
    for (const StartImage& start : trace_.starts()) XB_CHECK(add_start(start));
    // What the loader reads before the agent is there.
    for (const char* path : {"/etc/ld.so.cache", "/etc/ld.so.preload"}) XB_CHECK(add_if_there(path));
    XB_CHECK(write_file_atomically(trace_.path_of("meta.json"), print_meta(meta_)));
    return summary_;
  }

 private:
  Result<> add_module(const FileReference& then) {
    if (then.path.empty() || known_.contains(then.path)) return Ok{};
    auto now = reference_to(then.path);
    if (!now) return std::move(now).error().context("pack " + then.path);
    if (const std::string what = difference(then, *now); !what.empty()) {
      return Error{Errc::bad_input, fmt::format("pack {}: it is not what was recorded: {}", then.path, what),
                   "pack a trace before its program or libraries are built or installed anew"};
    }
    XB_CHECK(add_to_root(then.path));
    return add_debug_file(then.path);
  }

  // The executable is a module that the journal knows, unless something mapped it in a way that is not seen; its
  // loader is named by the path in the program, which is often a link to what the maps show.
  Result<> add_start(const StartImage& start) {
    XB_CHECK(add_if_there(start.executable));
    const auto summary = read_elf_summary(start.executable);
    return summary && summary->has_interp ? add_if_there(summary->interp) : Result<>(Ok{});
  }

  Result<> add_if_there(const std::string& path) {
    std::error_code failed;
    if (known_.contains(path) || !fs::is_regular_file(path, failed)) return Ok{};
    return add_to_root(path);
  }

  Result<> add_to_root(const std::string& path) {
    const std::string normal = fs::path(path).lexically_normal();
    XB_CHECK(add(path, "root" + normal));
    ++summary_.files;
    return Ok{};
  }

  Result<> add_debug_file(const std::string& path) {
    auto elf = ElfFile::open(path);
    if (!elf) return Ok{};  // no ELF file has no debug file
    const std::string id = to_hex((*elf)->build_id());
    const auto debug = id.size() > 2 ? find_debug_file(**elf, {.roots = options_.debug_roots}) : nullptr;
    if (debug == nullptr || known_.contains(debug->path())) return Ok{};
    XB_CHECK(add(debug->path(), fmt::format("debug/.build-id/{}/{}.debug", id.substr(0, 2), id.substr(2))));
    ++summary_.debug_files;
    return Ok{};
  }

  Result<> add(const std::string& path, const std::string& copy) {
    const std::string to = trace_.path_of(copy);
    std::error_code failed;
    fs::create_directories(fs::path(to).parent_path(), failed);
    if (failed) return Error{Errc::os, fmt::format("pack {}: make its folder: {}", path, failed.message())};
    (void)::unlink(to.c_str());  // left by a packing that did not come to its end: the list does not have it
    XB_TRY(const UniqueFd from, open_regular(path));
    XB_CHECK(copy_content(from.get(), to));
    struct stat status {};
    if (::fstat(from.get(), &status) != 0 || ::chmod(to.c_str(), status.st_mode & 0777U) != 0) {
      return os_error("set the mode of " + to);
    }
    XB_TRY(const std::uint64_t checksum, file_checksum(to));
    meta_.packed.push_back({.path = path, .copy = copy, .checksum = checksum});
    known_.insert(path);
    summary_.bytes += static_cast<std::uint64_t>(status.st_size);
    return Ok{};
  }

  const Trace& trace_;
  const PackOptions& options_;
  TraceMeta meta_;
  std::set<std::string> known_{};  // paths that are in the trace
  PackSummary summary_{};
};

}  // namespace

Result<PackSummary> pack_trace(const Trace& trace, const PackOptions& options) {
  return Packer(trace, options).pack();
}

}  // namespace xbdbg
