#include "tracer/auxv.h"

#include <elf.h>

namespace xbdbg {

namespace {

// The index behind the next zero word at or after `i`.
std::optional<std::size_t> behind_zero(std::span<const std::uint64_t> words, std::size_t i) {
  while (i < words.size() && words[i] != 0) ++i;
  if (i >= words.size()) return std::nullopt;
  return i + 1;
}

}  // namespace

std::optional<AuxvPlaces> find_in_auxv(std::span<const std::uint64_t> words, Addr stack_pointer) {
  const auto environment = behind_zero(words, 1);  // words[0] is argc, which may be 0
  if (!environment) return std::nullopt;
  const auto auxv = behind_zero(words, *environment);
  if (!auxv) return std::nullopt;
  AuxvPlaces places;
  for (std::size_t i = *auxv; i + 1 < words.size(); i += 2) {
    if (words[i] == AT_NULL) return places;
    if (words[i] == AT_SYSINFO_EHDR) places.vdso_type = stack_pointer + i * sizeof(std::uint64_t);
    if (words[i] == AT_RANDOM) places.random_bytes = Addr(words[i + 1]);
  }
  return std::nullopt;
}

}  // namespace xbdbg
