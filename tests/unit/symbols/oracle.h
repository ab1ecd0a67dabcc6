// tests/unit/symbols/oracle.h — what addr2line says about addresses, to compare with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xbdbg::test {

struct OracleFrame {
  std::string function{};  // "" for ??
  std::string file{};
  std::uint32_t line = 0;
};

// Per address: frames, innermost first. Runs `addr2line -a -i -f -C`.
std::vector<std::vector<OracleFrame>> addr2line(const std::string& program,
                                                const std::vector<std::uint64_t>& addresses);

inline std::string program_path(const std::string& name) { return std::string(XB_PROGRAMS_DIR) + "/" + name; }

}  // namespace xbdbg::test
