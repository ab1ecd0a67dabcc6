// tracer/symbols/dwarf_functions.h — the functions of one compilation unit and what was inlined into them.
//
// Built when an address of the unit is first asked for, by one walk over the unit's entries. Nodes are in the order
// of the walk, so the inlined calls of a function are the nodes right after it, up to `subtree_end`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/symbols/dwarf_info.h"

namespace xbdbg {

struct FunctionNode {
  std::uint64_t die_offset = 0;
  std::uint64_t entry = 0;  // lowest address
  std::uint32_t parent = 0;
  std::uint32_t subtree_end = 0;
  std::uint32_t first_range = 0;
  std::uint32_t range_count = 0;
  bool is_inlined = false;
  std::uint32_t call_file = 0;  // of an inlined call: where, in the caller
  std::uint32_t call_line = 0;
  std::uint32_t call_column = 0;
};

struct EntryNames {
  std::string_view linkage{};  // mangled; empty when DWARF has none
  std::string_view plain{};    // DW_AT_name
};

class DwarfFunctions {
 public:
  DwarfFunctions(const DwarfInfo& info, const DwarfUnit& unit);

  // The function holding the address with what is inlined there, innermost first, the real function last.
  std::vector<const FunctionNode*> chain_at(std::uint64_t address) const;
  const std::vector<FunctionNode>& nodes() const { return nodes_; }

 private:
  struct Extent {
    AddressRange range{};
    std::uint32_t node = 0;
  };
  void add(const DwarfInfo& info, const DwarfDie& die, std::uint32_t parent);
  bool holds(const FunctionNode& node, std::uint64_t address) const;

  std::vector<FunctionNode> nodes_;
  std::vector<AddressRange> ranges_;
  std::vector<Extent> extents_;  // of real functions, sorted by address
};

// The names of a function, variable or scope: abstract origins and specifications are followed to where they are.
EntryNames entry_names(const DwarfInfo& info, std::uint64_t die_offset);

}  // namespace xbdbg
