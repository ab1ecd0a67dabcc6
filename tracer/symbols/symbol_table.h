// tracer/symbols/symbol_table.h — the ELF symbols of one file, by address and by name. Link-time addresses.
//
// Where several symbols share an address the most telling one is kept first: global before weak before local, fewer
// leading underscores, then the shorter name. Views point into the ElfFile the symbols came from.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tracer/symbols/elf_file.h"

namespace xbdbg {

class SymbolTable {
 public:
  SymbolTable() = default;
  explicit SymbolTable(std::vector<ElfSymbol> symbols);

  // The function whose bytes hold the address. A symbol without a size reaches to the next symbol.
  const ElfSymbol* function_at(std::uint64_t address) const;
  const ElfSymbol* object_at(std::uint64_t address) const;
  const ElfSymbol* by_name(std::string_view name) const;  // mangled name; the default version when there are several
  const std::vector<ElfSymbol>& functions() const { return functions_; }  // sorted by address
  const std::vector<ElfSymbol>& objects() const { return objects_; }

 private:
  std::vector<ElfSymbol> functions_;  // functions and ifuncs, untyped code labels included
  std::vector<ElfSymbol> objects_;
  std::vector<ElfSymbol> named_;  // both, sorted by name
};

}  // namespace xbdbg
