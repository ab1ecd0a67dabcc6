#include "tracer/symbols/dwarf_variables.h"

#include <dwarf.h>

#include <algorithm>

#include "tracer/symbols/dwarf_functions.h"
#include "tracer/symbols/dwarf_types.h"
#include "tracer/symbols/names.h"

namespace xbdbg {
namespace {

constexpr std::size_t kMaxDepth = 512;
constexpr int kMaxHops = 16;
constexpr std::size_t kMaxScopes = 10'000'000;

bool opens_scope(std::uint16_t tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_structure_type ||
         tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

}  // namespace

DwarfVariables::DwarfVariables(const DwarfInfo& info) : info_(info) {
  for (const DwarfUnit& unit : info.units()) {
    if (!unit.is_type_unit) scan(unit);
  }
  // Of entries for one address (the abstract and the concrete instance of a function) the first one is kept.
  std::stable_sort(variables_.begin(), variables_.end(),
                   [](const DwarfVariable& a, const DwarfVariable& b) { return a.address < b.address; });
  variables_.erase(std::unique(variables_.begin(), variables_.end(),
                               [](const DwarfVariable& a, const DwarfVariable& b) { return a.address == b.address; }),
                   variables_.end());
}

void DwarfVariables::scan(const DwarfUnit& unit) {
  std::vector<std::uint32_t> open;  // per level of nesting: its scope
  std::unordered_map<std::uint64_t, std::uint32_t> declared;
  std::uint64_t offset = unit.die_offset;
  DwarfDie die;
  while (info_.read_tag(unit, offset, die)) {
    if (die.tag == 0) {
      if (!open.empty()) open.pop_back();
      if (open.empty()) return;
      offset = die.next;
      continue;
    }
    const std::uint32_t scope = open.empty() ? 0 : open.back();
    const bool is_type = die.tag == DW_TAG_structure_type || die.tag == DW_TAG_class_type ||
                         die.tag == DW_TAG_union_type || die.tag == DW_TAG_enumeration_type;
    // Static members are defined outside their class: types are passed over where they say where they end.
    const bool needs_attributes = die.tag == DW_TAG_variable || is_type;
    if (!(needs_attributes ? info_.read_attributes(die) : info_.skip_attributes(die))) return;
    if (die.tag == DW_TAG_variable) add(die, scope, declared);
    const std::uint64_t past = is_type ? info_.sibling(die) : 0;
    offset = past != 0 ? past : die.next;
    if (!die.has_children || past != 0) continue;
    if (open.size() >= kMaxDepth || scopes_.size() >= kMaxScopes) return;
    if (opens_scope(die.tag)) {
      open.push_back(static_cast<std::uint32_t>(scopes_.size()));
      scopes_.push_back({die.offset, scope, die.tag == DW_TAG_namespace});
    } else {
      open.push_back(scope);
    }
  }
}

// `declared` is where variables are declared that are defined elsewhere in the unit: the scope counts from there.
void DwarfVariables::add(const DwarfDie& die, std::uint32_t scope,
                         std::unordered_map<std::uint64_t, std::uint32_t>& declared) {
  std::uint64_t address = 0;
  if (!fixed_address(die, address)) {
    if (scope != 0 && scopes_[scope].is_namespace) declared.emplace(die.offset, scope);
    return;
  }
  if (const DwarfAttribute* specification = die.find(DW_AT_specification); specification != nullptr) {
    if (const auto found = declared.find(specification->value); found != declared.end()) scope = found->second;
  }
  variables_.push_back({address, type_size(info_, die), die.offset, scope});
}

bool DwarfVariables::fixed_address(const DwarfDie& die, std::uint64_t& out) const {
  const DwarfAttribute* location = die.find(DW_AT_location);
  if (location == nullptr || location->block.empty()) return false;
  Cursor cursor(location->block);
  const std::uint8_t operation = cursor.u8();
  if (operation == DW_OP_addr) {
    out = cursor.u64();
  } else if (operation == DW_OP_addrx || operation == DW_OP_GNU_addr_index) {
    if (!info_.indexed_address(*die.unit, cursor.uleb(), out)) return false;
  } else {
    return false;
  }
  return cursor.ok() && cursor.at_end() && out != 0;  // more operations: a thread-local or computed address
}

const DwarfVariable* DwarfVariables::at(std::uint64_t address) const {
  const auto after = std::upper_bound(variables_.begin(), variables_.end(), address,
                                      [](std::uint64_t a, const DwarfVariable& v) { return a < v.address; });
  if (after == variables_.begin()) return nullptr;
  const DwarfVariable& found = *(after - 1);
  const std::uint64_t into = address - found.address;
  return into == 0 || into < found.size ? &found : nullptr;
}

std::string DwarfVariables::name(const DwarfVariable& variable) const {
  // A definition outside its namespace or class stands in no scope, but has a linkage name.
  const EntryNames names = entry_names(info_, variable.die_offset);
  if (!names.linkage.empty()) return demangle(names.linkage);
  if (names.plain.empty() || variable.scope == 0) return std::string(names.plain);
  return scope_name(variable.scope) + "::" + std::string(names.plain);
}

std::string DwarfVariables::scope_name(std::uint32_t scope) const {
  std::string result;
  for (int depth = 0; scope != 0 && depth < kMaxHops; ++depth, scope = scopes_[scope].parent) {
    const EntryNames names = entry_names(info_, scopes_[scope].die_offset);
    std::string part(names.plain);
    if (part.empty()) part = scopes_[scope].is_namespace ? "(anonymous namespace)" : "(anonymous)";
    // A function may be defined outside its namespace or class; its linkage name has them all.
    if (!names.linkage.empty()) part = function_base_name(demangle(names.linkage));
    if (!result.empty()) result.insert(0, "::");
    result.insert(0, part);
    if (!names.linkage.empty()) break;
  }
  return result;
}

std::string DwarfVariables::member_path(const DwarfVariable& variable, std::uint64_t offset,
                                        std::uint64_t size_hint) const {
  DwarfDie die;
  const DwarfUnit* unit = info_.unit_of(variable.die_offset);
  if (unit == nullptr || !info_.read(*unit, variable.die_offset, die)) return {};
  return type_path(info_, die, offset, size_hint);
}

const DwarfVariable* DwarfVariables::by_name(std::string_view qualified_name) {
  if (by_name_.empty()) {
    for (std::size_t i = 0; i < variables_.size(); ++i) by_name_.emplace(name(variables_[i]), i);
  }
  const auto found = by_name_.find(std::string(qualified_name));
  return found == by_name_.end() ? nullptr : &variables_[found->second];
}

}  // namespace xbdbg
