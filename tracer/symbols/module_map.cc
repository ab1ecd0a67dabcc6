#include "tracer/symbols/module_map.h"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>

namespace xbdbg {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t page_floor(std::uint64_t value) { return value & ~(kPage - 1); }

// The bias a mapping implies. The page between two segments is mapped twice, once for each: the one with the right
// permission is meant.
std::optional<std::uint64_t> bias_of(const ElfFile& file, const MemoryMapping& mapping) {
  std::optional<std::uint64_t> any;
  for (const ElfSegment& segment : file.segments()) {
    if (segment.type != PT_LOAD) continue;
    const std::uint64_t from = page_floor(segment.offset);
    const std::uint64_t to = segment.offset + segment.file_size;
    if (mapping.offset < from || mapping.offset >= to) continue;
    const std::uint64_t bias = mapping.start - (page_floor(segment.address) + (mapping.offset - from));
    if (((segment.flags & PF_X) != 0) == mapping.executable) return bias;
    if (!any) any = bias;
  }
  return any;
}

std::uint64_t memory_end(const ElfFile& file) {
  std::uint64_t end = 0;
  for (const ElfSegment& segment : file.segments()) {
    if (segment.type == PT_LOAD) end = std::max(end, segment.address + segment.memory_size);
  }
  return end;
}

}  // namespace

std::shared_ptr<Image> ImageCache::get(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return nullptr;
  const std::string identity = std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino) + ":" +
                               std::to_string(info.st_size) + ":" + std::to_string(info.st_mtim.tv_sec) + "." +
                               std::to_string(info.st_mtim.tv_nsec);
  Entry& entry = entries_[path];
  if (entry.identity != identity) {
    Result<std::shared_ptr<Image>> image = Image::open(path, search_);
    entry = {identity, image ? *std::move(image) : nullptr};
  }
  return entry.image;
}

ModuleMap ModuleMap::build(const std::vector<MemoryMapping>& mappings, ImageCache& cache) {
  ModuleMap result;
  std::set<std::string> code;  // files with code: what is only data (locales, archives) is not worth opening
  for (const MemoryMapping& mapping : mappings) {
    if (!mapping.executable) continue;
    result.executable_.emplace_back(mapping.start, mapping.end);
    if (mapping.path.starts_with('/') && !mapping.is_deleted) code.insert(mapping.path);
  }
  std::map<std::pair<std::string, std::uint64_t>, Module> found;  // by path and bias: a file may be mapped twice
  for (const MemoryMapping& mapping : mappings) {
    if (!code.contains(mapping.path) || mapping.is_deleted) continue;
    std::shared_ptr<Image> image = cache.get(mapping.path);
    if (image == nullptr) continue;
    const std::optional<std::uint64_t> bias = bias_of(image->file(), mapping);
    if (!bias) continue;
    const std::uint64_t end = memory_end(image->file()) + *bias;
    Module& module = found[{mapping.path, *bias}];
    if (module.image == nullptr) module = {mapping.path, mapping.start, std::max(mapping.end, end), *bias, image};
    module.start = std::min(module.start, mapping.start);
    module.end = std::max(module.end, mapping.end);
  }
  for (auto& [key, module] : found) result.modules_.push_back(std::move(module));
  std::sort(result.modules_.begin(), result.modules_.end(),
            [](const Module& a, const Module& b) { return a.start < b.start; });
  return result;
}

const Module* ModuleMap::find(Addr address) const {
  const auto after = std::upper_bound(modules_.begin(), modules_.end(), address.raw(),
                                      [](std::uint64_t a, const Module& m) { return a < m.start; });
  if (after == modules_.begin() || address.raw() >= (after - 1)->end) return nullptr;
  return &*(after - 1);
}

const Module* ModuleMap::by_name(std::string_view file_name) const {
  for (const Module& module : modules_) {
    const std::string_view path = module.path;
    if (path == file_name || path.substr(path.rfind('/') + 1) == file_name) return &module;
  }
  return nullptr;
}

bool ModuleMap::is_executable(Addr address) const {
  return std::any_of(executable_.begin(), executable_.end(),
                     [&](const auto& range) { return address.raw() >= range.first && address.raw() < range.second; });
}

}  // namespace xbdbg
