#include "tracer/auxv.h"

#include <elf.h>

namespace xbdbg {

namespace {

// The words from `i` to the next zero; `i` is then behind it. Nothing: there is no zero.
std::optional<std::vector<Addr>> pointers_from(std::span<const std::uint64_t> words, std::size_t& i) {
  std::vector<Addr> pointers;
  while (i < words.size() && words[i] != 0) pointers.push_back(Addr(words[i++]));
  if (i >= words.size()) return std::nullopt;
  ++i;
  return pointers;
}

}  // namespace

std::optional<std::uint64_t> StartStack::value(std::uint64_t type) const {
  for (const AuxvEntry& entry : auxv) {
    if (entry.type == type) return entry.value;
  }
  return std::nullopt;
}

std::optional<StartStack> parse_start_stack(std::span<const std::uint64_t> words, Addr stack_pointer) {
  std::size_t i = 1;  // words[0] is argc, which may be 0
  auto argv = pointers_from(words, i);
  if (!argv) return std::nullopt;
  auto env = pointers_from(words, i);
  if (!env) return std::nullopt;
  StartStack stack{std::move(*argv), std::move(*env), {}, stack_pointer + i * sizeof(std::uint64_t)};
  for (; i + 1 < words.size(); i += 2) {
    if (words[i] == AT_NULL) return stack;
    stack.auxv.push_back({words[i], words[i + 1]});
  }
  return std::nullopt;
}

}  // namespace xbdbg
