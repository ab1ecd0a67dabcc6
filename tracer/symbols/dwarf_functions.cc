#include "tracer/symbols/dwarf_functions.h"

#include <dwarf.h>

#include <algorithm>

namespace xbdbg {
namespace {

constexpr int kMaxNameHops = 16;        // abstract origin -> specification -> ...: 2 in practice
constexpr std::size_t kMaxDepth = 512;  // of nested entries
constexpr std::uint32_t kNoNode = UINT32_MAX;

// Types hold no code, and are most of a C++ unit: they are passed over where the entry says where it ends.
bool is_type(std::uint16_t tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
         tag == DW_TAG_enumeration_type;
}

std::uint32_t small_number(const DwarfInfo& info, const DwarfDie& die, std::uint16_t name) {
  std::uint64_t value = 0;
  (void)info.number(die.find(name), value);
  return static_cast<std::uint32_t>(value);
}

}  // namespace

DwarfFunctions::DwarfFunctions(const DwarfInfo& info, const DwarfUnit& unit) {
  std::vector<std::uint32_t> open;  // per level of nesting: the function node it belongs to
  std::uint64_t offset = unit.die_offset;
  DwarfDie die;
  while (info.read_tag(unit, offset, die)) {
    if (die.tag == 0) {
      if (open.empty()) break;
      const std::uint32_t closing = open.back();
      open.pop_back();
      if (closing != kNoNode && (open.empty() || open.back() != closing)) {
        nodes_[closing].subtree_end = static_cast<std::uint32_t>(nodes_.size());
      }
      offset = die.next;
      if (open.empty()) break;
      continue;
    }
    const bool is_code = die.tag == DW_TAG_subprogram || die.tag == DW_TAG_inlined_subroutine;
    if (!(is_code || is_type(die.tag) ? info.read_attributes(die) : info.skip_attributes(die))) break;
    std::uint32_t owner = open.empty() ? kNoNode : open.back();
    if (is_code) {
      const std::size_t before = nodes_.size();
      add(info, die, owner);
      if (nodes_.size() > before) owner = static_cast<std::uint32_t>(before);
    }
    const std::uint64_t past = is_type(die.tag) ? info.sibling(die) : 0;
    offset = past != 0 ? past : die.next;
    if (die.has_children && past == 0) {
      if (open.size() >= kMaxDepth) break;
      open.push_back(owner);
    }
  }
  for (FunctionNode& node : nodes_) {  // of a corrupt unit, or without children
    if (node.subtree_end == 0) node.subtree_end = static_cast<std::uint32_t>(&node - nodes_.data()) + 1;
  }
  std::sort(extents_.begin(), extents_.end(),
            [](const Extent& a, const Extent& b) { return a.range.low < b.range.low; });
}

void DwarfFunctions::add(const DwarfInfo& info, const DwarfDie& die, std::uint32_t parent) {
  const std::size_t first = ranges_.size();
  info.append_ranges(die, ranges_);
  if (ranges_.size() == first) return;  // a declaration, an abstract instance, discarded code
  FunctionNode node{.die_offset = die.offset, .parent = parent, .is_inlined = die.tag == DW_TAG_inlined_subroutine};
  node.first_range = static_cast<std::uint32_t>(first);
  node.range_count = static_cast<std::uint32_t>(ranges_.size() - first);
  node.entry = ranges_[first].low;
  if (node.is_inlined) {
    node.call_file = small_number(info, die, DW_AT_call_file);
    node.call_line = small_number(info, die, DW_AT_call_line);
    node.call_column = small_number(info, die, DW_AT_call_column);
  } else {
    for (std::size_t i = first; i < ranges_.size(); ++i) {
      extents_.push_back({ranges_[i], static_cast<std::uint32_t>(nodes_.size())});
    }
  }
  nodes_.push_back(node);
}

bool DwarfFunctions::holds(const FunctionNode& node, std::uint64_t address) const {
  for (std::uint32_t i = 0; i < node.range_count; ++i) {
    const AddressRange& range = ranges_[node.first_range + i];
    if (address >= range.low && address < range.high) return true;
  }
  return false;
}

std::vector<const FunctionNode*> DwarfFunctions::chain_at(std::uint64_t address) const {
  std::vector<const FunctionNode*> chain;
  const auto after = std::upper_bound(extents_.begin(), extents_.end(), address,
                                      [](std::uint64_t a, const Extent& e) { return a < e.range.low; });
  if (after == extents_.begin() || address >= (after - 1)->range.high) return chain;
  const std::uint32_t root = (after - 1)->node;
  chain.push_back(&nodes_[root]);
  for (std::uint32_t i = root + 1; i < nodes_[root].subtree_end && i < nodes_.size();) {
    const FunctionNode& node = nodes_[i];
    if (node.is_inlined && holds(node, address)) {
      chain.push_back(&node);
      ++i;
    } else {
      i = std::max(node.subtree_end, i + 1);
    }
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

EntryNames entry_names(const DwarfInfo& info, std::uint64_t die_offset) {
  EntryNames names;
  const DwarfUnit* unit = info.unit_of(die_offset);
  DwarfDie die;
  if (unit == nullptr || !info.read(*unit, die_offset, die)) return names;
  for (int hop = 0; hop < kMaxNameHops; ++hop) {
    if (names.linkage.empty()) names.linkage = info.text(die, DW_AT_linkage_name);
    if (names.linkage.empty()) names.linkage = info.text(die, DW_AT_MIPS_linkage_name);
    if (names.plain.empty()) names.plain = info.text(die, DW_AT_name);
    if (!names.linkage.empty()) break;
    DwarfDie next;
    if (!info.follow(die, DW_AT_abstract_origin, next) && !info.follow(die, DW_AT_specification, next)) break;
    die = next;
  }
  return names;
}

}  // namespace xbdbg
