// tracer/symbols/dwarf_variables.h — the variables with a fixed address: globals, static locals, static members.
//
// One scan over .debug_info finds them all; names and types are worked out when asked for. Thread-local variables
// have no fixed address and are not here. Link-time addresses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracer/symbols/dwarf_info.h"

namespace xbdbg {

struct DwarfVariable {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0: the type has none
  std::uint64_t die_offset = 0;
  std::uint32_t scope = 0;  // index of the enclosing namespace or function; 0: none
};

class DwarfVariables {
 public:
  explicit DwarfVariables(const DwarfInfo& info);

  const DwarfVariable* at(std::uint64_t address) const;  // the variable whose bytes hold the address
  const DwarfVariable* by_name(std::string_view qualified_name);

  // "ns::pool", "worker::calls" for a static local.
  std::string name(const DwarfVariable& variable) const;
  // What is at an offset in the variable: ".lock", "[3].mutex", or "" for the whole; what remains is "+0x10". With
  // `size_hint` > 0 the path goes on into first members and elements as long as they are larger than that: the
  // address of a structure that begins with a mutex is then named as the mutex.
  std::string member_path(const DwarfVariable& variable, std::uint64_t offset, std::uint64_t size_hint) const;

 private:
  struct Scope {
    std::uint64_t die_offset = 0;
    std::uint32_t parent = 0;
    bool is_namespace = false;
  };
  std::string scope_name(std::uint32_t scope) const;
  void scan(const DwarfUnit& unit);
  void add(const DwarfDie& die, std::uint32_t scope, std::unordered_map<std::uint64_t, std::uint32_t>& declared);
  bool fixed_address(const DwarfDie& die, std::uint64_t& out) const;

  const DwarfInfo& info_;
  std::vector<Scope> scopes_{Scope{}};
  std::vector<DwarfVariable> variables_;  // sorted by address
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace xbdbg
