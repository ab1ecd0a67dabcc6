#include "tracer/symbols/module_map.h"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

namespace xbdbg {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t page_floor(std::uint64_t value) { return value & ~(kPage - 1); }

// The biases a mapping may have. Often there are two: the page between two segments is mapped once for each.
std::vector<std::uint64_t> possible_biases(const ElfFile& file, const MemoryMapping& mapping) {
  std::vector<std::uint64_t> result;
  for (const ElfSegment& segment : file.segments()) {
    if (segment.type != PT_LOAD || (mapping.executable && (segment.flags & PF_X) == 0)) continue;
    const std::uint64_t from = page_floor(segment.offset);
    if (mapping.offset < from || mapping.offset >= segment.offset + segment.file_size) continue;
    result.push_back(mapping.start - (page_floor(segment.address) + (mapping.offset - from)));
  }
  return result;
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
  // Code first: its segment is alone with its permission. The other mappings then go where their bias fits.
  for (const bool executable : {true, false}) {
    for (const MemoryMapping& mapping : mappings) {
      if (mapping.executable != executable || mapping.is_deleted || !code.contains(mapping.path)) continue;
      const std::shared_ptr<Image> image = cache.get(mapping.path);
      if (image == nullptr) continue;
      for (const std::uint64_t bias : possible_biases(image->file(), mapping)) {
        if (executable) {
          found.try_emplace({mapping.path, bias},
                            Module{mapping.path, mapping.start, memory_end(image->file()) + bias, bias, image});
        }
        const auto module = found.find({mapping.path, bias});
        if (module == found.end()) continue;
        module->second.start = std::min(module->second.start, mapping.start);
        module->second.end = std::max(module->second.end, mapping.end);
        break;
      }
    }
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
