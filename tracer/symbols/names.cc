#include "tracer/symbols/names.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace xbdbg {
namespace {

// The demangler recurses over its input: a longer name is corrupt, or nothing a person would read.
constexpr std::size_t kMaxMangledBytes = 16 * 1024;

}  // namespace

std::string demangle(std::string_view name) {
  const std::string text(name);
  if (!name.starts_with("_Z") || name.size() > kMaxMangledBytes) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain != nullptr ? std::string(plain.get()) : text;
}

std::string with_offset(std::string name, std::uint64_t offset) {
  if (offset == 0) return name;
  char text[24];
  std::snprintf(text, sizeof(text), "+0x%llx", static_cast<unsigned long long>(offset));
  return name + text;
}

}  // namespace xbdbg
