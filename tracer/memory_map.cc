#include "tracer/memory_map.h"

#include <algorithm>
#include <charconv>

namespace xbdbg {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

Error malformed(std::string_view line) {
  return Error{Errc::bad_input, "read memory map: malformed line \"" + std::string(line) + "\"", {}};
}

bool take_number(std::string_view& rest, int base, std::uint64_t& out) {
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out, base);
  if (error != std::errc()) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

bool take(std::string_view& rest, char expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(1);
  return true;
}

// The kernel writes a newline in a name as \012 and nothing else escaped (fs/proc: seq_file_path(m, file, "\n")).
std::string unescape_newlines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const bool newline = text.starts_with("\\012");
    result += newline ? '\n' : text.front();
    text.remove_prefix(newline ? 4 : 1);
  }
  return result;
}

// "start-end perms offset major:minor inode   path"
bool parse_line(std::string_view rest, MemoryMapping& out) {
  std::uint64_t device = 0;
  if (!take_number(rest, 16, out.start) || !take(rest, '-') || !take_number(rest, 16, out.end) || !take(rest, ' ')) {
    return false;
  }
  if (rest.size() < 5 || rest[4] != ' ') return false;
  out.readable = rest[0] == 'r';
  out.writable = rest[1] == 'w';
  out.executable = rest[2] == 'x';
  out.shared = rest[3] == 's';
  rest.remove_prefix(5);
  if (!take_number(rest, 16, out.offset) || !take(rest, ' ') || !take_number(rest, 16, device) || !take(rest, ':') ||
      !take_number(rest, 16, device) || !take(rest, ' ') || !take_number(rest, 10, out.inode)) {
    return false;
  }
  const std::size_t path = rest.find_first_not_of(' ');
  if (path == std::string_view::npos) return true;
  rest.remove_prefix(path);
  if (rest.starts_with('/') && rest.ends_with(kDeleted)) {
    out.is_deleted = true;
    rest.remove_suffix(kDeleted.size());
  }
  out.path = unescape_newlines(rest);
  return true;
}

}  // namespace

Result<std::vector<MemoryMapping>> parse_memory_map(std::string_view text) {
  std::vector<MemoryMapping> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    MemoryMapping mapping;
    if (!parse_line(line, mapping) || mapping.start >= mapping.end) return malformed(line);
    // vsyscall, the last line, may lie beyond a gap but never before its predecessor.
    if (!result.empty() && mapping.start < result.back().end) return malformed(line);
    result.push_back(std::move(mapping));
  }
  return result;
}

const MemoryMapping* find_mapping(const std::vector<MemoryMapping>& mappings, std::uint64_t address) {
  const auto after = std::upper_bound(mappings.begin(), mappings.end(), address,
                                      [](std::uint64_t a, const MemoryMapping& m) { return a < m.start; });
  if (after == mappings.begin() || address >= (after - 1)->end) return nullptr;
  return &*(after - 1);
}

}  // namespace xbdbg
