// tracer/symbols/module_map.h — the ELF files a process has mapped, each with its load bias.
//
// Built from a memory map (parsed by tracer/memory_map.h) and the files it names; rebuild it after the map changed.
// Images come from an ImageCache, so processes that map the same files share what was read. A mapped file that is
// gone, is not ELF, or cannot be read is left out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/ids.h"
#include "tracer/symbols/image.h"
#include "tracer/symbols/memory_mapping.h"

namespace xbdbg {

// Images by file. A file that was replaced since (other inode, size or time) is opened again.
class ImageCache {
 public:
  explicit ImageCache(DebugFileSearch search = {}) : search_(std::move(search)) {}
  std::shared_ptr<Image> get(const std::string& path);  // null: not a readable ELF file

 private:
  struct Entry {
    std::string identity{};
    std::shared_ptr<Image> image{};
  };
  DebugFileSearch search_;
  std::map<std::string, Entry> entries_;
};

struct Module {
  std::string path{};
  std::uint64_t start = 0;  // of its lowest mapping
  std::uint64_t end = 0;
  std::uint64_t bias = 0;  // run-time address = link-time address + bias (modulo 2^64)
  std::shared_ptr<Image> image{};

  std::uint64_t to_file(Addr address) const { return address.raw() - bias; }
  Addr to_process(std::uint64_t address) const { return Addr(address + bias); }
};

class ModuleMap {
 public:
  ModuleMap() = default;
  static ModuleMap build(const std::vector<MemoryMapping>& mappings, ImageCache& cache);

  const Module* find(Addr address) const;                   // valid until the map is replaced
  const Module* by_name(std::string_view file_name) const;  // "libc.so.6" or a whole path
  const std::vector<Module>& modules() const { return modules_; }
  bool is_executable(Addr address) const;  // mapped executable, by a module or not

 private:
  std::vector<Module> modules_;  // sorted by start
  std::vector<std::pair<std::uint64_t, std::uint64_t>> executable_;
};

}  // namespace xbdbg
