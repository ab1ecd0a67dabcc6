#include "tracer/symbols/debug_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "tracer/base/str.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg {
namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320u : 0u);
    table[i] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();

std::optional<std::uint32_t> file_crc32(const std::string& path) {
  Result<UniqueFd> fd = open_file(path, O_RDONLY | O_NONBLOCK);
  struct stat info {};
  if (!fd || ::fstat(fd->get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string buffer(1 << 16, '\0');
  std::uint32_t crc = 0;
  for (;;) {
    const ssize_t n = ::read(fd->get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) return crc;
    crc = debug_link_crc32(std::string_view(buffer.data(), static_cast<std::size_t>(n)), crc);
  }
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::unique_ptr<ElfFile> by_build_id(const std::string& id, const DebugFileSearch& search) {
  if (id.size() < 2) return nullptr;
  const std::string hex = to_hex(id);
  for (const std::string& root : search.roots) {
    Result<std::unique_ptr<ElfFile>> file =
        ElfFile::open(root + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug");
    if (file && (*file)->build_id() == id) return *std::move(file);
  }
  return nullptr;
}

std::unique_ptr<ElfFile> by_link(const ElfFile& file, const DebugLink& link, const DebugFileSearch& search) {
  const std::size_t slash = file.path().rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.path().substr(0, slash);
  std::vector<std::string> candidates = {folder + "/" + link.file_name, folder + "/.debug/" + link.file_name};
  for (const std::string& root : search.roots) {
    std::string path = root;
    candidates.push_back(path.append("/").append(folder).append("/").append(link.file_name));
  }
  for (const std::string& path : candidates) {
    if (same_file(path, file.path()) || file_crc32(path) != link.crc32) continue;
    if (Result<std::unique_ptr<ElfFile>> found = ElfFile::open(path); found) return *std::move(found);
  }
  return nullptr;
}

}  // namespace

std::uint32_t debug_link_crc32(std::string_view bytes, std::uint32_t previous) {
  std::uint32_t crc = ~previous;
  for (const char byte : bytes) crc = kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

std::unique_ptr<ElfFile> find_debug_file(ElfFile& file, const DebugFileSearch& search) {
  if (std::unique_ptr<ElfFile> found = by_build_id(file.build_id(), search); found != nullptr) return found;
  if (const std::optional<DebugLink> link = file.debug_link(); link) return by_link(file, *link, search);
  return nullptr;
}

}  // namespace xbdbg
