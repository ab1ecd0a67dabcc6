// The address ranges of an entry: low/high, .debug_ranges (DWARF 2 to 4), .debug_rnglists (DWARF 5).
#include <dwarf.h>

#include "tracer/symbols/dwarf_info.h"

namespace xbdbg {
namespace {

constexpr int kMaxEntries = 1'000'000;  // of one list

}  // namespace

// Code that the linker discarded (a duplicate of an inline function) keeps its debug information, at address 0, 1 or
// -1: no such range starts in an executable segment.
void DwarfInfo::append_range(std::uint64_t low, std::uint64_t high, std::vector<AddressRange>& out) const {
  if (low < high && file_.is_executable_address(low)) out.push_back({low, high});
}

void DwarfInfo::append_ranges(const DwarfDie& die, std::vector<AddressRange>& out) const {
  const DwarfUnit& unit = *die.unit;
  std::uint64_t low = 0;
  if (const DwarfAttribute* high = die.find(DW_AT_high_pc); high != nullptr) {
    std::uint64_t end = 0;
    if (!address(unit, die.find(DW_AT_low_pc), low)) return;
    if (!address(unit, high, end)) end = low + high->value;  // a constant: relative
    append_range(low, end, out);
    return;
  }
  const DwarfAttribute* ranges = die.find(DW_AT_ranges);
  if (ranges == nullptr) return;
  std::uint64_t offset = ranges->value;
  if (ranges->form == DW_FORM_rnglistx) {
    if (offset > rnglists_.size()) return;
    Cursor cursor(rnglists_, unit.rnglists_base + offset * unit.offset_size);
    offset = unit.rnglists_base + cursor.of_size(unit.offset_size);
    if (!cursor.ok()) return;
  }
  if (unit.version >= 5) {
    append_rnglist(unit, offset, out);
  } else {
    append_old_ranges(unit, offset, out);
  }
}

void DwarfInfo::append_old_ranges(const DwarfUnit& unit, std::uint64_t offset, std::vector<AddressRange>& out) const {
  Cursor cursor(ranges_, offset);
  std::uint64_t base = unit.base_address;
  for (int i = 0; i < kMaxEntries; ++i) {
    const std::uint64_t low = cursor.u64();
    const std::uint64_t high = cursor.u64();
    if (!cursor.ok() || (low == 0 && high == 0)) return;
    if (low == ~std::uint64_t{0}) {
      base = high;
    } else {
      append_range(base + low, base + high, out);
    }
  }
}

void DwarfInfo::append_rnglist(const DwarfUnit& unit, std::uint64_t offset, std::vector<AddressRange>& out) const {
  Cursor cursor(rnglists_, offset);
  std::uint64_t base = unit.base_address;
  for (int i = 0; i < kMaxEntries; ++i) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    switch (cursor.u8()) {
      case DW_RLE_base_addressx:
        if (!indexed_address(unit, cursor.uleb(), base)) return;
        continue;
      case DW_RLE_startx_endx:
        if (!indexed_address(unit, cursor.uleb(), low) || !indexed_address(unit, cursor.uleb(), high)) return;
        break;
      case DW_RLE_startx_length:
        if (!indexed_address(unit, cursor.uleb(), low)) return;
        high = low + cursor.uleb();
        break;
      case DW_RLE_offset_pair:
        low = base + cursor.uleb();
        high = base + cursor.uleb();
        break;
      case DW_RLE_base_address:
        base = cursor.u64();
        continue;
      case DW_RLE_start_end:
        low = cursor.u64();
        high = cursor.u64();
        break;
      case DW_RLE_start_length:
        low = cursor.u64();
        high = low + cursor.uleb();
        break;
      default:  // DW_RLE_end_of_list, or corrupt
        return;
    }
    if (!cursor.ok()) return;
    append_range(low, high, out);
  }
}

}  // namespace xbdbg
