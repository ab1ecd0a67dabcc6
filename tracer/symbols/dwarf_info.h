// tracer/symbols/dwarf_info.h — the entries (DIEs) of .debug_info, versions 2 to 5, decoded one at a time.
//
// NOTE [Why not libdwarf for entries]: libdwarf 20210528, which Debian 12 has, needs some 10 µs and several
// allocations per entry, too slow to look through the millions of entries of a C++ program for its variables, and its
// sibling walk never returns when a DW_AT_sibling points backwards (3 of 3,600 random mutations of a small program).
// Here an entry costs tens of nanoseconds, no allocation, and every step goes forward in the file. Line tables still
// come from libdwarf (dwarf_lines.h).
//
// What a DwarfInfo reads may be corrupt: a failed read says false, and the caller gets less information, no error.
// Views point into the ElfFile. Not covered: .debug_types (DWARF 4's type units), split DWARF (.dwo), and references
// into dwz's common file; what depends on them is treated as absent.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/symbols/cursor.h"
#include "tracer/symbols/elf_file.h"

namespace xbdbg {

struct AddressRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;  // exclusive
};

struct AttributeSpec {
  std::uint16_t name = 0;
  std::uint16_t form = 0;
  std::int64_t implicit_const = 0;
};

struct Abbrev {
  std::uint64_t code = 0;
  std::uint16_t tag = 0;
  bool has_children = false;
  std::int32_t fixed_size = -1;  // bytes of the attributes when no form varies in length (32-bit DWARF), else -1
  std::uint32_t first_spec = 0;
  std::uint32_t spec_count = 0;
};

struct AbbrevTable {
  std::vector<Abbrev> abbrevs{};  // sorted by code; usually code == index + 1
  std::vector<AttributeSpec> specs{};
  const Abbrev* find(std::uint64_t code) const;
};

struct DwarfUnit {
  std::uint64_t offset = 0;      // of the header
  std::uint64_t end = 0;         // of the unit: the next header
  std::uint64_t die_offset = 0;  // of the root entry
  std::uint16_t version = 0;
  std::uint8_t offset_size = 4;  // 8: 64-bit DWARF
  bool is_type_unit = false;
  std::uint64_t type_signature = 0;
  std::uint64_t type_offset = 0;  // of the type in a type unit, absolute
  const AbbrevTable* abbrevs = nullptr;
  std::uint64_t base_address = 0;  // of the root entry: what ranges are relative to
  std::uint64_t str_offsets_base = 0;
  std::uint64_t addr_base = 0;
  std::uint64_t rnglists_base = 0;
  bool is_cplusplus = false;
};

struct DwarfAttribute {
  std::uint16_t name = 0;
  std::uint16_t form = 0;
  std::uint64_t value = 0;   // number, offset, index; absolute offset for references
  std::string_view block{};  // exprloc, block, inline string
};

struct DwarfDie {
  static constexpr std::size_t kMaxAttributes = 40;  // more are skipped; compilers write fewer than 25

  std::uint64_t offset = 0;
  std::uint64_t next = 0;  // offset after the attributes: the first child, if has_children
  std::uint16_t tag = 0;   // 0: the null entry that ends a list of children
  bool has_children = false;
  const DwarfUnit* unit = nullptr;
  const Abbrev* abbrev = nullptr;
  std::uint32_t attribute_count = 0;
  std::array<DwarfAttribute, kMaxAttributes> attributes;  // NOLINT: filled on decode

  const DwarfAttribute* find(std::uint16_t name) const;
  bool has(std::uint16_t name) const { return find(name) != nullptr; }
};

class DwarfInfo {
 public:
  explicit DwarfInfo(ElfFile& file);  // reads unit headers and root entries only

  const std::vector<DwarfUnit>& units() const { return units_; }
  const DwarfUnit* unit_of(std::uint64_t die_offset) const;

  // read = read_tag + read_attributes. skip_attributes sets `next` only. False: corrupt, or the end of the unit.
  bool read(const DwarfUnit& unit, std::uint64_t offset, DwarfDie& die) const;
  bool read_tag(const DwarfUnit& unit, std::uint64_t offset, DwarfDie& die) const;
  bool read_attributes(DwarfDie& die) const;
  bool skip_attributes(DwarfDie& die) const;
  // The entry after this one and its children, when the entry tells where that is; 0 otherwise. Always > die.offset.
  std::uint64_t sibling(const DwarfDie& die) const;

  std::string_view text(const DwarfUnit& unit, const DwarfAttribute* attribute) const;  // empty when null
  std::string_view text(const DwarfDie& die, std::uint16_t name) const { return text(*die.unit, die.find(name)); }
  bool number(const DwarfAttribute* attribute, std::uint64_t& out) const;  // a constant, not an expression
  bool address(const DwarfUnit& unit, const DwarfAttribute* attribute, std::uint64_t& out) const;
  bool indexed_address(const DwarfUnit& unit, std::uint64_t index, std::uint64_t& out) const;
  // Follows a reference attribute.
  bool follow(const DwarfDie& die, std::uint16_t name, DwarfDie& target) const;
  // Appends the code addresses of an entry (low/high or ranges); ranges of discarded code are left out.
  void append_ranges(const DwarfDie& die, std::vector<AddressRange>& out) const;

 private:
  const AbbrevTable* abbrev_table(std::uint64_t offset);
  bool read_unit(std::uint64_t offset, DwarfUnit& unit);
  void read_bases(DwarfUnit& unit);
  bool read_value(const DwarfUnit& unit, AttributeSpec spec, Cursor& cursor, DwarfAttribute& out) const;
  bool read_block(const DwarfUnit& unit, std::uint16_t form, Cursor& cursor, DwarfAttribute& out) const;
  void append_old_ranges(const DwarfUnit& unit, std::uint64_t offset, std::vector<AddressRange>& out) const;
  void append_rnglist(const DwarfUnit& unit, std::uint64_t offset, std::vector<AddressRange>& out) const;
  void append_range(std::uint64_t low, std::uint64_t high, std::vector<AddressRange>& out) const;

  const ElfFile& file_;
  std::string_view info_, abbrev_, str_, line_str_, str_offsets_, addr_, ranges_, rnglists_;
  std::map<std::uint64_t, std::unique_ptr<AbbrevTable>> abbrev_tables_;
  std::vector<DwarfUnit> units_;
  std::unordered_map<std::uint64_t, std::size_t> type_units_;  // signature -> index in units_
};

}  // namespace xbdbg
