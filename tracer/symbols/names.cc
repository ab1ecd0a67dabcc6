#include "tracer/symbols/names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace xbdbg {
namespace {

// The demangler recurses over its input: a longer name is corrupt, or nothing a person would read.
constexpr std::size_t kMaxMangledBytes = 16 * 1024;

}  // namespace

std::string demangle(std::string_view name) {
  std::string text(name);
  if (!name.starts_with("_Z") || name.size() > kMaxMangledBytes) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain != nullptr ? std::string(plain.get()) : text;
}

std::string function_base_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;  // of template arguments
  std::size_t start = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (name.substr(i).starts_with("operator") && depth == 0) {
      i = std::min(name.find('(', i + 8 + (name.substr(i + 8).starts_with("()") ? 2 : 0)), name.size());
      end = i;
      break;
    } else if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>') {
      --depth;
    } else if (name[i] == ' ' && depth == 0) {
      start = i + 1;
    } else if (name[i] == '(' && depth == 0) {
      end = i;
      break;
    }
  }
  std::string_view base = name.substr(start, end - start);
  if (base.ends_with('>') && base.find("operator") == std::string_view::npos) {
    for (std::size_t i = base.size(); i-- > 0;) {
      depth += base[i] == '>' ? 1 : base[i] == '<' ? -1 : 0;
      if (depth == 0) return std::string(base.substr(0, i));
    }
  }
  return std::string(base);
}

std::string with_offset(std::string name, std::uint64_t offset) {
  if (offset == 0) return name;
  char text[24];
  std::snprintf(text, sizeof(text), "+0x%llx", static_cast<unsigned long long>(offset));
  return name + text;
}

}  // namespace xbdbg
