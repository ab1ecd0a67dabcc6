#include "tracer/symbols/dwarf_info.h"

#include <dwarf.h>

#include <algorithm>

namespace xbdbg {
namespace {

constexpr std::size_t kMaxUnits = 1'000'000;
constexpr std::uint32_t kEscape64 = 0xffffffff;  // an initial length that says: 64-bit DWARF, the length follows

}  // namespace

const DwarfAttribute* DwarfDie::find(std::uint16_t name) const {
  for (std::uint32_t i = 0; i < attribute_count; ++i) {
    if (attributes[i].name == name) return &attributes[i];
  }
  return nullptr;
}

DwarfInfo::DwarfInfo(ElfFile& file)
    : file_(file),
      info_(file.section_data(".debug_info")),
      abbrev_(file.section_data(".debug_abbrev")),
      str_(file.section_data(".debug_str")),
      line_str_(file.section_data(".debug_line_str")),
      str_offsets_(file.section_data(".debug_str_offsets")),
      addr_(file.section_data(".debug_addr")),
      ranges_(file.section_data(".debug_ranges")),
      rnglists_(file.section_data(".debug_rnglists")) {
  std::uint64_t offset = 0;
  while (offset < info_.size() && units_.size() < kMaxUnits) {
    DwarfUnit unit;
    if (!read_unit(offset, unit)) {
      if (unit.end <= offset) break;  // no length to go on with
    } else {
      read_bases(unit);
      if (unit.is_type_unit) type_units_.emplace(unit.type_signature, units_.size());
      units_.push_back(unit);
    }
    offset = unit.end;
  }
}

// False: a unit we cannot use; unit.end is set when the next one can still be found.
bool DwarfInfo::read_unit(std::uint64_t offset, DwarfUnit& unit) {
  Cursor cursor(info_, offset);
  unit.offset = offset;
  std::uint64_t length = cursor.u32();
  if (length == kEscape64) {
    unit.offset_size = 8;
    length = cursor.u64();
  }
  if (!cursor.ok() || length > info_.size() - cursor.offset() || length == 0) return false;
  unit.end = cursor.offset() + length;
  unit.version = cursor.u16();
  if (unit.version < 2 || unit.version > 5) return false;
  std::uint8_t unit_type = DW_UT_compile;
  std::uint8_t address_size = 0;
  std::uint64_t abbrev_offset = 0;
  if (unit.version >= 5) {
    unit_type = cursor.u8();
    address_size = cursor.u8();
    abbrev_offset = cursor.of_size(unit.offset_size);
  } else {
    abbrev_offset = cursor.of_size(unit.offset_size);
    address_size = cursor.u8();
  }
  if (unit_type == DW_UT_skeleton || unit_type == DW_UT_split_compile) cursor.u64();  // dwo id
  if (unit_type == DW_UT_type || unit_type == DW_UT_split_type) {
    unit.is_type_unit = true;
    unit.type_signature = cursor.u64();
    unit.type_offset = offset + cursor.of_size(unit.offset_size);
  }
  unit.die_offset = cursor.offset();
  unit.abbrevs = abbrev_table(abbrev_offset);
  return cursor.ok() && address_size == 8 && unit.abbrevs != nullptr && unit.die_offset < unit.end;
}

void DwarfInfo::read_bases(DwarfUnit& unit) {
  DwarfDie root;
  // Where producers leave the bases out, the tables start after their header.
  unit.str_offsets_base = unit.offset_size == 8 ? 16 : 8;
  unit.addr_base = unit.offset_size == 8 ? 16 : 8;
  unit.rnglists_base = unit.offset_size == 8 ? 20 : 12;
  if (!read(unit, unit.die_offset, root)) return;
  (void)number(root.find(DW_AT_str_offsets_base), unit.str_offsets_base);
  (void)number(root.find(DW_AT_addr_base), unit.addr_base);
  (void)number(root.find(DW_AT_rnglists_base), unit.rnglists_base);
  (void)address(unit, root.find(DW_AT_low_pc), unit.base_address);
  std::uint64_t language = 0;
  (void)number(root.find(DW_AT_language), language);
  unit.is_cplusplus = language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
                      language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

const DwarfUnit* DwarfInfo::unit_of(std::uint64_t die_offset) const {
  const auto after = std::upper_bound(units_.begin(), units_.end(), die_offset,
                                      [](std::uint64_t o, const DwarfUnit& u) { return o < u.offset; });
  if (after == units_.begin()) return nullptr;
  const DwarfUnit& unit = *(after - 1);
  return die_offset >= unit.die_offset && die_offset < unit.end ? &unit : nullptr;
}

bool DwarfInfo::read(const DwarfUnit& unit, std::uint64_t offset, DwarfDie& die) const {
  return read_tag(unit, offset, die) && read_attributes(die);
}

bool DwarfInfo::read_tag(const DwarfUnit& unit, std::uint64_t offset, DwarfDie& die) const {
  if (offset < unit.die_offset || offset >= unit.end) return false;
  Cursor cursor(info_.substr(0, unit.end), offset);
  const std::uint64_t code = cursor.uleb();
  die.offset = offset;
  die.next = cursor.offset();
  die.unit = &unit;
  die.attribute_count = 0;
  die.abbrev = nullptr;
  die.tag = 0;
  die.has_children = false;
  if (!cursor.ok()) return false;
  if (code == 0) return true;
  die.abbrev = unit.abbrevs->find(code);
  if (die.abbrev == nullptr) return false;
  die.tag = die.abbrev->tag;
  die.has_children = die.abbrev->has_children;
  return true;
}

bool DwarfInfo::read_attributes(DwarfDie& die) const {
  if (die.abbrev == nullptr) return true;
  const DwarfUnit& unit = *die.unit;
  Cursor cursor(info_.substr(0, unit.end), die.next);
  const AttributeSpec* specs = unit.abbrevs->specs.data() + die.abbrev->first_spec;
  for (std::uint32_t i = 0; i < die.abbrev->spec_count; ++i) {
    DwarfAttribute extra;
    DwarfAttribute& slot =
        die.attribute_count < DwarfDie::kMaxAttributes ? die.attributes[die.attribute_count] : extra;
    if (!read_value(unit, specs[i], cursor, slot)) return false;
    if (die.attribute_count < DwarfDie::kMaxAttributes) ++die.attribute_count;
  }
  die.next = cursor.offset();
  return true;
}

bool DwarfInfo::skip_attributes(DwarfDie& die) const {
  if (die.abbrev == nullptr) return true;
  if (die.abbrev->fixed_size < 0 || die.unit->offset_size != 4) return read_attributes(die);
  die.next += static_cast<std::uint64_t>(die.abbrev->fixed_size);
  return die.next <= die.unit->end;
}

std::uint64_t DwarfInfo::sibling(const DwarfDie& die) const {
  const DwarfAttribute* attribute = die.find(DW_AT_sibling);
  if (attribute == nullptr) return die.has_children ? 0 : die.next;
  return attribute->value > die.offset && attribute->value < die.unit->end ? attribute->value : 0;
}

bool DwarfInfo::follow(const DwarfDie& die, std::uint16_t name, DwarfDie& target) const {
  const DwarfAttribute* attribute = die.find(name);
  if (attribute == nullptr) return false;
  std::uint64_t offset = attribute->value;
  if (attribute->form == DW_FORM_ref_sig8) {
    const auto found = type_units_.find(attribute->value);
    if (found == type_units_.end()) return false;
    offset = units_[found->second].type_offset;
  } else if (attribute->form == DW_FORM_GNU_ref_alt || attribute->form == DW_FORM_ref_sup4 ||
             attribute->form == DW_FORM_ref_sup8) {
    return false;  // in dwz's common file
  }
  const DwarfUnit* unit = die.unit;
  if (offset < unit->die_offset || offset >= unit->end) unit = unit_of(offset);
  return unit != nullptr && read(*unit, offset, target) && target.tag != 0;
}

}  // namespace xbdbg
