// tracer/symbols/dwarf_lines.h — the line tables of one file, by compilation unit, decoded by libdwarf when asked
// for.
//
// libdwarf sees the sections through ElfFile, decompressed. Rows are copied into a compact form once per unit, so a
// lookup is two binary searches. Link-time addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tracer/symbols/dwarf_info.h"
#include "tracer/symbols/elf_file.h"

namespace xbdbg {

struct LineRow {
  std::uint64_t address = 0;
  std::uint32_t file = 0;  // index into LineTable::files
  std::uint32_t line = 0;  // 0: no source line is meant
  std::uint32_t column = 0;
  bool is_statement = false;
};

class LineTable {
 public:
  struct Sequence {
    AddressRange range{};
    std::size_t first_row = 0;
    std::size_t row_count = 0;
  };

  // The row in force at an address; of several rows for one address the last one counts.
  const LineRow* row_at(std::uint64_t address) const;
  const std::string& file_name(std::uint64_t index) const;  // empty when the index is out of range
  const std::vector<LineRow>& rows() const { return rows_; }
  const std::vector<Sequence>& sequences() const { return sequences_; }  // sorted by address

 private:
  friend class DwarfLines;
  std::vector<LineRow> rows_;
  std::vector<Sequence> sequences_;
  std::vector<std::string> files_;  // by the number DWARF uses: DWARF 5 counts from 0, others from 1
};

class DwarfLines {
 public:
  explicit DwarfLines(ElfFile& file);
  ~DwarfLines();

  // The table of a unit; an empty one when there is none or it is corrupt.
  const LineTable& table(const DwarfUnit& unit);

  DwarfLines(const DwarfLines&) = delete;
  DwarfLines& operator=(const DwarfLines&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbdbg
