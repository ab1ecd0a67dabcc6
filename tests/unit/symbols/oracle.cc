#include "tests/unit/symbols/oracle.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

OracleFrame parse(const std::string& function, std::string where) {
  OracleFrame frame;
  if (function != "??") frame.function = function;
  where = where.substr(0, where.find(" (discriminator"));
  const std::size_t colon = where.rfind(':');
  if (where.substr(0, colon) != "??") frame.file = where.substr(0, colon);
  frame.line = static_cast<std::uint32_t>(std::strtoul(where.c_str() + colon + 1, nullptr, 10));
  return frame;
}

}  // namespace

std::vector<std::vector<OracleFrame>> addr2line(const std::string& program,
                                                const std::vector<std::uint64_t>& addresses) {
  TempDir temp;
  std::string input;
  char text[32];
  for (const std::uint64_t address : addresses) {
    std::snprintf(text, sizeof(text), "0x%llx\n", static_cast<unsigned long long>(address));
    input += text;
  }
  const std::string list = temp.file("addresses", input);
  const std::string command = "addr2line -a -i -f -C -e '" + program + "' < '" + list + "'";
  std::vector<std::vector<OracleFrame>> result;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  if (pipe == nullptr) return result;
  char* buffer = nullptr;
  std::size_t capacity = 0;
  std::string function;
  bool have_function = false;
  for (ssize_t n = 0; (n = ::getline(&buffer, &capacity, pipe.get())) > 0;) {
    std::string line(buffer, static_cast<std::size_t>(n));
    if (line.ends_with('\n')) line.pop_back();
    if (!have_function && line.starts_with("0x")) {
      result.emplace_back();
    } else if (!have_function) {
      function = line;
      have_function = true;
    } else {
      if (!result.empty()) result.back().push_back(parse(function, line));
      have_function = false;
    }
  }
  std::free(buffer);
  return result;
}

}  // namespace xbdbg::test
