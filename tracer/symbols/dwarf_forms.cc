// The encodings of DwarfInfo: abbreviations, attribute forms, strings, indexed addresses.
#include <dwarf.h>

#include <algorithm>

#include "tracer/symbols/dwarf_info.h"

namespace xbdbg {
namespace {

constexpr std::size_t kMaxAbbrevs = 1'000'000;

// Bytes of a form in 32-bit DWARF with 8-byte addresses; -1 when its length is in the data.
int fixed_form_size(std::uint16_t form) {
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_addr:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return 8;
    case DW_FORM_data16:
      return 16;
    default:
      return -1;
  }
}

void set_fixed_size(Abbrev& abbrev, const std::vector<AttributeSpec>& specs) {
  std::int64_t total = 0;
  for (std::uint32_t i = 0; i < abbrev.spec_count; ++i) {
    const int size = fixed_form_size(specs[abbrev.first_spec + i].form);
    if (size < 0) return;
    total += size;
  }
  if (total <= INT32_MAX) abbrev.fixed_size = static_cast<std::int32_t>(total);
}

}  // namespace

const Abbrev* AbbrevTable::find(std::uint64_t code) const {
  if (code - 1 < abbrevs.size() && abbrevs[code - 1].code == code) return &abbrevs[code - 1];
  const auto it = std::lower_bound(abbrevs.begin(), abbrevs.end(), code,
                                   [](const Abbrev& a, std::uint64_t c) { return a.code < c; });
  return it != abbrevs.end() && it->code == code ? &*it : nullptr;
}

const AbbrevTable* DwarfInfo::abbrev_table(std::uint64_t offset) {
  if (const auto known = abbrev_tables_.find(offset); known != abbrev_tables_.end()) return known->second.get();
  if (offset >= abbrev_.size()) return nullptr;
  auto table = std::make_unique<AbbrevTable>();
  Cursor cursor(abbrev_, offset);
  while (!cursor.at_end() && table->abbrevs.size() < kMaxAbbrevs) {
    Abbrev abbrev{.code = cursor.uleb()};
    if (abbrev.code == 0) break;
    abbrev.tag = static_cast<std::uint16_t>(cursor.uleb());
    abbrev.has_children = cursor.u8() != 0;
    abbrev.first_spec = static_cast<std::uint32_t>(table->specs.size());
    for (;;) {
      AttributeSpec spec;
      spec.name = static_cast<std::uint16_t>(cursor.uleb());
      spec.form = static_cast<std::uint16_t>(cursor.uleb());
      if (spec.form == DW_FORM_implicit_const) spec.implicit_const = cursor.sleb();
      if (!cursor.ok() || (spec.name == 0 && spec.form == 0)) break;
      table->specs.push_back(spec);
      ++abbrev.spec_count;
    }
    if (!cursor.ok()) break;
    set_fixed_size(abbrev, table->specs);
    table->abbrevs.push_back(abbrev);
  }
  std::stable_sort(table->abbrevs.begin(), table->abbrevs.end(),
                   [](const Abbrev& a, const Abbrev& b) { return a.code < b.code; });
  return (abbrev_tables_[offset] = std::move(table)).get();
}

bool DwarfInfo::read_value(const DwarfUnit& unit, AttributeSpec spec, Cursor& cursor, DwarfAttribute& out) const {
  out.name = spec.name;
  if (spec.form == DW_FORM_indirect) {
    spec.form = static_cast<std::uint16_t>(cursor.uleb());
    if (spec.form == DW_FORM_indirect || spec.form == DW_FORM_implicit_const) return false;
  }
  out.form = spec.form;
  out.block = {};
  switch (spec.form) {
    case DW_FORM_flag_present:
      out.value = 1;
      return true;
    case DW_FORM_implicit_const:
      out.value = static_cast<std::uint64_t>(spec.implicit_const);
      return true;
    case DW_FORM_sdata:
      out.value = static_cast<std::uint64_t>(cursor.sleb());
      return cursor.ok();
    case DW_FORM_ref_udata:
      out.value = unit.offset + cursor.uleb();
      return cursor.ok();
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
      out.value = unit.offset + cursor.of_size(static_cast<unsigned>(fixed_form_size(spec.form)));
      return cursor.ok();
    case DW_FORM_ref_addr:
      out.value = cursor.of_size(unit.version <= 2 ? 8 : unit.offset_size);
      return cursor.ok();
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      out.value = cursor.of_size(unit.offset_size);
      return cursor.ok();
    case DW_FORM_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      out.value = cursor.uleb();
      return cursor.ok();
    default:
      break;
  }
  const int size = fixed_form_size(spec.form);
  if (size < 0 || size == 16) return read_block(unit, spec.form, cursor, out);
  out.value = cursor.of_size(static_cast<unsigned>(size));
  return cursor.ok();
}

bool DwarfInfo::read_block(const DwarfUnit&, std::uint16_t form, Cursor& cursor, DwarfAttribute& out) const {
  out.value = 0;
  switch (form) {
    case DW_FORM_string:
      out.block = cursor.c_string();
      return cursor.ok();
    case DW_FORM_block1:
      out.block = cursor.bytes(cursor.u8());
      return cursor.ok();
    case DW_FORM_block2:
      out.block = cursor.bytes(cursor.u16());
      return cursor.ok();
    case DW_FORM_block4:
      out.block = cursor.bytes(cursor.u32());
      return cursor.ok();
    case DW_FORM_block:
    case DW_FORM_exprloc:
      out.block = cursor.bytes(cursor.uleb());
      return cursor.ok();
    case DW_FORM_data16:
      out.block = cursor.bytes(16);
      return cursor.ok();
    default:
      return false;  // unknown length: nothing after it can be read
  }
}

std::string_view DwarfInfo::text(const DwarfUnit& unit, const DwarfAttribute* attribute) const {
  if (attribute == nullptr) return {};
  switch (attribute->form) {
    case DW_FORM_string:
      return attribute->block;
    case DW_FORM_strp:
      return Cursor(str_, attribute->value).c_string();
    case DW_FORM_line_strp:
      return Cursor(line_str_, attribute->value).c_string();
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4: {
      if (attribute->value > str_offsets_.size()) return {};
      Cursor cursor(str_offsets_, unit.str_offsets_base + attribute->value * unit.offset_size);
      const std::uint64_t offset = cursor.of_size(unit.offset_size);
      return cursor.ok() ? Cursor(str_, offset).c_string() : std::string_view{};
    }
    default:
      return {};
  }
}

bool DwarfInfo::number(const DwarfAttribute* attribute, std::uint64_t& out) const {
  if (attribute == nullptr || attribute->form == DW_FORM_exprloc || attribute->form == DW_FORM_block1) return false;
  out = attribute->value;
  return true;
}

bool DwarfInfo::indexed_address(const DwarfUnit& unit, std::uint64_t index, std::uint64_t& out) const {
  if (index > addr_.size()) return false;
  Cursor cursor(addr_, unit.addr_base + index * 8);
  out = cursor.u64();
  return cursor.ok();
}

bool DwarfInfo::address(const DwarfUnit& unit, const DwarfAttribute* attribute, std::uint64_t& out) const {
  if (attribute == nullptr) return false;
  switch (attribute->form) {
    case DW_FORM_addr:
      out = attribute->value;
      return true;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
      return indexed_address(unit, attribute->value, out);
    default:
      return false;
  }
}

}  // namespace xbdbg
