// tracer/symbols/cfi.h — call frame information: how the caller's registers are found at an address.
//
// Reads .eh_frame by the search table of .eh_frame_hdr (by a scan where that is missing or odd), then .debug_frame.
// Link-time addresses. The bytes are hostile: what cannot be understood gives no row.
//
// NOTE [Why not libdwarf for CFI]: it can list all FDEs but not search .eh_frame_hdr, allocates the whole list (8,000
// for libc) first, and gives register rules in a form that must be translated again. The format is small.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tracer/symbols/dwarf_info.h"
#include "tracer/symbols/elf_file.h"
#include "tracer/symbols/registers.h"

namespace xbdbg {

enum class RuleKind : std::uint8_t {
  unspecified,  // the ABI's default
  undefined,    // not recoverable; for the return address: the outermost frame
  same_value,
  at_offset,  // saved at CFA + offset
  is_offset,  // is CFA + offset
  in_register,
  at_expression,  // saved at the address the expression gives
  is_expression,
};

struct RegisterRule {
  RuleKind kind = RuleKind::unspecified;
  std::uint32_t reg = 0;
  std::int64_t offset = 0;
  std::string_view expression{};
};

struct CfaRule {
  std::uint64_t reg = 0;
  std::int64_t offset = 0;
  std::string_view expression{};  // used when not empty
};

struct UnwindRow {
  CfaRule cfa{};
  std::array<RegisterRule, RegisterSet::kCount> registers{};
  std::uint64_t return_register = 16;
  bool is_signal_frame = false;  // the caller was interrupted, it made no call
  AddressRange function{};       // what the FDE covers
};

class CfiTable {
 public:
  // `debug` may be the same file.
  CfiTable(ElfFile& file, ElfFile& debug);

  std::optional<UnwindRow> row_at(std::uint64_t address);

 private:
  struct Frames {  // one section
    std::string_view bytes{};
    std::uint64_t address = 0;
    bool is_eh = true;
    std::vector<std::pair<AddressRange, std::uint64_t>> index{};  // range -> offset of its FDE
    bool indexed = false;
  };
  struct Cie;
  struct Fde;

  std::optional<std::uint64_t> search_header(std::uint64_t address) const;
  std::optional<std::uint64_t> search_index(Frames& frames, std::uint64_t address);
  void build_index(Frames& frames) const;
  bool read_cie(const Frames& frames, std::uint64_t offset, Cie& out) const;
  bool read_fde(const Frames& frames, std::uint64_t offset, Fde& out) const;
  std::optional<UnwindRow> row_of(const Fde& fde, std::uint64_t address) const;

  std::string_view header_;  // .eh_frame_hdr
  std::uint64_t header_address_ = 0;
  Frames eh_frame_;
  Frames debug_frame_;
};

}  // namespace xbdbg
