// tracer/symbols/image.h — all that is known about one ELF file and its separate debug file, loaded piece by piece.
//
// An Image knows no process: its addresses are link-time addresses, and one Image serves every process that maps the
// file (module_map.h adds the load bias). Nothing is read before it is asked for: the symbol table, the units of the
// DWARF information, each unit's lines and functions, the variables, and the call frame information (cfi.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracer/base/result.h"
#include "tracer/symbols/debug_file.h"
#include "tracer/symbols/dwarf_functions.h"
#include "tracer/symbols/dwarf_info.h"
#include "tracer/symbols/dwarf_lines.h"
#include "tracer/symbols/dwarf_variables.h"
#include "tracer/symbols/elf_file.h"
#include "tracer/symbols/symbol_table.h"

namespace xbdbg {

class CfiTable;

struct SourceFrame {
  std::string function{};  // demangled; empty: unknown
  std::string file{};      // empty: unknown
  std::uint32_t line = 0;  // 0: unknown
  std::uint32_t column = 0;
  bool is_inlined = false;  // the next frame in the list is the caller it was inlined into
};

struct ImageLocation {
  std::vector<SourceFrame> frames{};              // innermost first; the last one is the real function
  std::optional<std::uint64_t> function_entry{};  // of the real function, or the symbol
};

struct ImageObject {
  std::string name{};
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

class Image {
 public:
  static Result<std::shared_ptr<Image>> open(const std::string& path, const DebugFileSearch& search = {});
  static std::shared_ptr<Image> from_file(std::unique_ptr<ElfFile> file, const DebugFileSearch& search);
  ~Image();

  ElfFile& file() { return *file_; }
  ElfFile& debug_file();  // where the debug information is: the separate file, or the file itself
  const SymbolTable& symbols();

  ImageLocation lookup(std::uint64_t address);
  // "pool.lock", "locks[3]", "symbol+0x10"; empty when nothing is known to be there. size_hint: DwarfVariables.
  std::string object_name(std::uint64_t address, std::uint64_t size_hint);
  std::optional<ImageObject> find_object(std::string_view name);      // "account_lock", "ns::pool", "f::calls"
  std::optional<std::uint64_t> find_function(std::string_view name);  // a plain or mangled symbol
  CfiTable& cfi();

  const DwarfInfo& dwarf();
  const LineTable& lines(const DwarfUnit& unit);

  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

 private:
  struct UnitExtent {
    AddressRange range{};
    std::size_t unit = 0;
  };
  Image(std::unique_ptr<ElfFile> file, DebugFileSearch search);
  const DwarfUnit* unit_at(std::uint64_t address);
  const DwarfFunctions& functions(const DwarfUnit& unit);
  DwarfVariables& variables();
  std::string function_name(const FunctionNode& node);

  std::unique_ptr<ElfFile> file_;
  DebugFileSearch search_;
  bool searched_debug_file_ = false;
  std::unique_ptr<ElfFile> separate_;
  std::optional<SymbolTable> symbols_;
  std::unique_ptr<DwarfInfo> dwarf_;
  std::unique_ptr<DwarfLines> lines_;
  std::vector<UnitExtent> unit_extents_;                                          // sorted by address
  std::unordered_map<std::uint64_t, std::unique_ptr<DwarfFunctions>> functions_;  // by the offset of the unit
  std::unordered_map<std::uint64_t, std::string> function_names_;                 // by the offset of the entry
  std::unique_ptr<DwarfVariables> variables_;
  std::unique_ptr<CfiTable> cfi_;
};

}  // namespace xbdbg
