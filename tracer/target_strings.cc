#include "tracer/target_strings.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tracer/memory.h"

namespace xbdbg {

namespace {

constexpr std::uint64_t kPage = 4096;

Error too_long() { return Error{Errc::bad_input, "the arguments of an execve are too long", {}}; }

}  // namespace

Result<std::string> read_target_string(Pid pid, Addr at, std::size_t max_bytes) {
  std::string text;
  std::array<char, kPage> piece;
  while (text.size() <= max_bytes) {
    const std::size_t size = kPage - at.raw() % kPage;  // the next page may not be there
    const std::span<char> wanted = std::span(piece).first(size);
    XB_CHECK(read_memory_exactly(pid, at, std::as_writable_bytes(wanted)));
    const std::size_t length = ::strnlen(piece.data(), size);
    text.append(piece.data(), length);
    if (length < size) return text;
    at = at + size;
  }
  return too_long();
}

Result<std::vector<std::string>> read_target_strings(Pid pid, Addr list, std::size_t max_bytes) {
  std::vector<std::string> strings;
  std::size_t total = 0;
  for (; list.raw() != 0; list = list + sizeof(std::uint64_t)) {
    std::uint64_t pointer = 0;
    XB_CHECK(read_memory_exactly(pid, list, std::as_writable_bytes(std::span(&pointer, 1))));
    if (pointer == 0) break;
    XB_TRY(std::string string, read_target_string(pid, Addr(pointer), max_bytes));
    total += string.size() + 1 + sizeof pointer;
    if (total > max_bytes) return too_long();
    strings.push_back(std::move(string));
  }
  return strings;
}

Result<Addr> write_target_strings(Pid pid, Addr& place, Addr end, const std::vector<std::string>& strings) {
  const Addr list = place;
  const std::uint64_t list_bytes = (strings.size() + 1) * sizeof(std::uint64_t);
  std::vector<std::uint64_t> pointers;
  std::string texts;
  for (const std::string& string : strings) {
    pointers.push_back(list.raw() + list_bytes + texts.size());
    texts.append(string.c_str(), string.size() + 1);
  }
  pointers.push_back(0);
  texts.resize((texts.size() + 7) & ~std::size_t{7});
  if (list_bytes + texts.size() > end - list) return too_long();
  XB_CHECK(write_memory(pid, list, std::as_bytes(std::span(pointers))));
  if (!texts.empty()) XB_CHECK(write_memory(pid, list + list_bytes, std::as_bytes(std::span(texts))));
  place = list + list_bytes + texts.size();
  return list;
}

}  // namespace xbdbg
