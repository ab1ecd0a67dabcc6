#include "tracer/symbols/cfi.h"

#include <dwarf.h>

#include <algorithm>

#include "tracer/symbols/cfi_program.h"

namespace xbdbg {
namespace {

constexpr std::size_t kMaxFrames = 5'000'000;
constexpr std::uint32_t kEscape64 = 0xffffffff;

// Pointer encodings of .eh_frame (LSB, "DWARF Extensions").
enum : std::uint8_t {
  kPeAbsolute = 0x00,
  kPeUleb = 0x01,
  kPeU16 = 0x02,
  kPeU32 = 0x03,
  kPeU64 = 0x04,
  kPeSleb = 0x09,
  kPeS16 = 0x0a,
  kPeS32 = 0x0b,
  kPeS64 = 0x0c,
  kPeFormatMask = 0x0f,
  kPePcRelative = 0x10,
  kPeDataRelative = 0x30,
  kPeBaseMask = 0x70,
  kPeOmit = 0xff,
};

// Reads an encoded pointer. `section` is the address of the cursor's bytes; `data` what data-relative values count
// from.
std::uint64_t read_pointer(Cursor& cursor, std::uint8_t encoding, std::uint64_t section, std::uint64_t data) {
  const std::uint64_t here = section + cursor.offset();
  std::uint64_t value = 0;
  switch (encoding & kPeFormatMask) {
    case kPeAbsolute:
    case kPeU64:
    case kPeS64:
      value = cursor.u64();
      break;
    case kPeUleb:
      value = cursor.uleb();
      break;
    case kPeSleb:
      value = static_cast<std::uint64_t>(cursor.sleb());
      break;
    case kPeU16:
      value = cursor.u16();
      break;
    case kPeU32:
      value = cursor.u32();
      break;
    case kPeS16:
      value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(cursor.u16())});
      break;
    case kPeS32:
      value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(cursor.u32())});
      break;
    default:
      cursor.fail();
  }
  switch (encoding & kPeBaseMask) {
    case 0:
      return value;
    case kPePcRelative:
      return value + here;
    case kPeDataRelative:
      return value + data;
    default:
      cursor.fail();
      return 0;
  }
}

// The header that CIEs and FDEs share.
struct EntryHeader {
  std::uint64_t end = 0;        // offset after the entry; 0: the terminator, or corrupt
  std::uint64_t id_offset = 0;  // of the CIE pointer
  std::uint64_t id = 0;
  bool is_cie = false;
  std::uint64_t body = 0;
};

EntryHeader read_header(std::string_view bytes, std::uint64_t offset, bool is_eh) {
  Cursor cursor(bytes, offset);
  EntryHeader header;
  std::uint64_t length = cursor.u32();
  const bool is_64 = length == kEscape64;
  if (is_64) length = cursor.u64();
  if (!cursor.ok() || length == 0 || length > bytes.size() - cursor.offset()) return header;
  header.id_offset = cursor.offset();
  const std::uint64_t end = cursor.offset() + length;
  header.id = is_64 && !is_eh ? cursor.u64() : cursor.u32();
  header.is_cie = is_eh ? header.id == 0 : header.id == (is_64 ? ~std::uint64_t{0} : std::uint64_t{kEscape64});
  header.body = cursor.offset();
  if (cursor.ok() && header.body <= end) header.end = end;
  return header;
}

}  // namespace

struct CfiTable::Cie {
  CfiProgram program{};
  std::uint64_t return_register = 16;
  std::uint8_t pointer_encoding = kPeAbsolute;
  bool has_augmentation_data = false;
  bool is_signal_frame = false;
};

struct CfiTable::Fde {
  Cie cie{};
  AddressRange range{};
  std::string_view code{};
};

CfiTable::CfiTable(ElfFile& file, ElfFile& debug) {
  // A file made by objcopy --only-keep-debug has these sections without bytes: they are always the program's own.
  eh_frame_.bytes = file.section_data(".eh_frame");
  if (const ElfSection* section = file.find_section(".eh_frame"); section != nullptr)
    eh_frame_.address = section->address;
  header_ = file.section_data(".eh_frame_hdr");
  if (const ElfSection* section = file.find_section(".eh_frame_hdr"); section != nullptr)
    header_address_ = section->address;
  debug_frame_.bytes = file.section_data(".debug_frame");
  if (debug_frame_.bytes.empty()) debug_frame_.bytes = debug.section_data(".debug_frame");
  debug_frame_.is_eh = false;
}

std::optional<UnwindRow> CfiTable::row_at(std::uint64_t address) {
  Fde fde;
  if (const std::optional<std::uint64_t> offset = search_header(address); offset) {
    if (read_fde(eh_frame_, *offset, fde) && address >= fde.range.low && address < fde.range.high) {
      return row_of(fde, address);
    }
  } else if (const std::optional<std::uint64_t> found = search_index(eh_frame_, address); found) {
    if (read_fde(eh_frame_, *found, fde)) return row_of(fde, address);
  }
  if (const std::optional<std::uint64_t> found = search_index(debug_frame_, address); found) {
    if (read_fde(debug_frame_, *found, fde)) return row_of(fde, address);
  }
  return std::nullopt;
}

// The offset of the FDE that may hold the address, by the sorted table; nothing when there is no table we can use.
std::optional<std::uint64_t> CfiTable::search_header(std::uint64_t address) const {
  Cursor cursor(header_);
  if (cursor.u8() != 1 || eh_frame_.bytes.empty()) return std::nullopt;
  const std::uint8_t frame_encoding = cursor.u8();
  const std::uint8_t count_encoding = cursor.u8();
  const std::uint8_t table_encoding = cursor.u8();
  if (table_encoding != (kPeDataRelative | kPeS32) || count_encoding == kPeOmit) return std::nullopt;
  read_pointer(cursor, frame_encoding, header_address_, header_address_);
  const std::uint64_t count = read_pointer(cursor, count_encoding, header_address_, header_address_);
  constexpr std::uint64_t kEntryBytes = 8;
  if (!cursor.ok() || count == 0 || count > (header_.size() - cursor.offset()) / kEntryBytes) return std::nullopt;
  const std::uint64_t table = cursor.offset();
  const auto value_at = [&](std::uint64_t index, std::uint64_t half) {
    Cursor entry(header_, table + index * kEntryBytes + half);
    return header_address_ + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(entry.u32())});
  };
  std::uint64_t low = 0;  // the first entry beyond the address
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (value_at(middle, 0) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return value_at(low == 0 ? 0 : low - 1, 4) - eh_frame_.address;
}

std::optional<std::uint64_t> CfiTable::search_index(Frames& frames, std::uint64_t address) {
  if (!frames.indexed) build_index(frames);
  const auto after = std::upper_bound(frames.index.begin(), frames.index.end(), address,
                                      [](std::uint64_t a, const auto& entry) { return a < entry.first.low; });
  if (after == frames.index.begin() || address >= (after - 1)->first.high) return std::nullopt;
  return (after - 1)->second;
}

void CfiTable::build_index(Frames& frames) const {
  frames.indexed = true;
  std::uint64_t offset = 0;
  while (offset < frames.bytes.size() && frames.index.size() < kMaxFrames) {
    const EntryHeader header = read_header(frames.bytes, offset, frames.is_eh);
    if (header.end <= offset) break;
    Fde fde;
    if (!header.is_cie && read_fde(frames, offset, fde) && fde.range.low != 0) {
      frames.index.emplace_back(fde.range, offset);
    }
    offset = header.end;
  }
  std::sort(frames.index.begin(), frames.index.end(),
            [](const auto& a, const auto& b) { return a.first.low < b.first.low; });
}

bool CfiTable::read_cie(const Frames& frames, std::uint64_t offset, Cie& out) const {
  const EntryHeader header = read_header(frames.bytes, offset, frames.is_eh);
  if (header.end == 0 || !header.is_cie) return false;
  out = {};
  Cursor cursor(frames.bytes.substr(0, header.end), header.body);
  const std::uint8_t version = cursor.u8();
  if (version != 1 && version != 3 && version != 4) return false;
  const std::string_view augmentation = cursor.c_string();
  if (version == 4 && (cursor.u8() != 8 || cursor.u8() != 0)) return false;  // address and segment selector sizes
  out.program.code_alignment = cursor.uleb();
  out.program.data_alignment = cursor.sleb();
  out.return_register = version == 1 ? cursor.u8() : cursor.uleb();
  if (augmentation.starts_with('z')) {
    out.has_augmentation_data = true;
    const std::uint64_t size = cursor.uleb();
    const std::uint64_t start = cursor.offset();
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') {
        out.pointer_encoding = cursor.u8();
      } else if (letter == 'P') {
        read_pointer(cursor, cursor.u8() & 0x7f, frames.address, frames.address);  // the personality routine
      } else if (letter == 'L') {
        cursor.u8();
      } else if (letter == 'S') {
        out.is_signal_frame = true;
      } else {
        break;  // unknown: the size tells where the instructions start
      }
    }
    cursor.seek(start);
    cursor.skip(size);
  } else if (!augmentation.empty()) {
    return false;
  }
  out.program.code = cursor.bytes(header.end - cursor.offset());
  return cursor.ok();
}

bool CfiTable::read_fde(const Frames& frames, std::uint64_t offset, Fde& out) const {
  const EntryHeader header = read_header(frames.bytes, offset, frames.is_eh);
  if (header.end == 0 || header.is_cie) return false;
  if (frames.is_eh && header.id > header.id_offset) return false;
  if (!read_cie(frames, frames.is_eh ? header.id_offset - header.id : header.id, out.cie)) return false;
  Cursor cursor(frames.bytes.substr(0, header.end), header.body);
  const std::uint8_t encoding = out.cie.pointer_encoding;
  out.range.low = read_pointer(cursor, encoding, frames.address, frames.address);
  out.range.high = out.range.low + read_pointer(cursor, encoding & kPeFormatMask, 0, 0);
  if (out.cie.has_augmentation_data) cursor.skip(cursor.uleb());
  out.code = cursor.bytes(header.end - cursor.offset());
  return cursor.ok() && out.range.low < out.range.high;
}

std::optional<UnwindRow> CfiTable::row_of(const Fde& fde, std::uint64_t address) const {
  UnwindRow row;
  row.return_register = fde.cie.return_register;
  row.is_signal_frame = fde.cie.is_signal_frame;
  row.function = fde.range;
  CfiMachine machine(row, fde.range.low);
  if (!machine.run(fde.cie.program, ~std::uint64_t{0})) return std::nullopt;
  machine.set_initial_rules();
  CfiProgram program = fde.cie.program;
  program.code = fde.code;
  if (!machine.run(program, address)) return std::nullopt;
  return row;
}

}  // namespace xbdbg
