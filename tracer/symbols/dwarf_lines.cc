#include "tracer/symbols/dwarf_lines.h"

#include <dwarf.h>
#include <elf.h>
#include <libdwarf.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace xbdbg {
namespace {

constexpr Dwarf_Signed kMaxFiles = 1'000'000;

// What libdwarf needs for line tables. The first one is ELF's null section.
constexpr std::array<const char*, 8> kSections = {
    "",           ".debug_info",     ".debug_abbrev",      ".debug_line",
    ".debug_str", ".debug_line_str", ".debug_str_offsets", ".debug_addr"};

int section_info(void* object, Dwarf_Half index, Dwarf_Obj_Access_Section* out, int*) {
  if (index >= kSections.size()) return DW_DLV_NO_ENTRY;
  *out = {};
  out->name = kSections[index];
  out->type = index == 0 ? SHT_NULL : SHT_PROGBITS;
  out->size = static_cast<ElfFile*>(object)->section_data(kSections[index]).size();
  return DW_DLV_OK;
}

int load_section(void* object, Dwarf_Half index, Dwarf_Small** out, int*) {
  if (index == 0 || index >= kSections.size()) return DW_DLV_NO_ENTRY;
  const std::string_view bytes = static_cast<ElfFile*>(object)->section_data(kSections[index]);
  if (bytes.empty()) return DW_DLV_NO_ENTRY;
  // libdwarf writes to sections only to relocate them, and we give it no way to.
  *out = reinterpret_cast<Dwarf_Small*>(const_cast<char*>(bytes.data()));
  return DW_DLV_OK;
}

constexpr Dwarf_Obj_Access_Methods kMethods = {
    .get_section_info = section_info,
    .get_byte_order = [](void*) { return DW_OBJECT_LSB; },
    .get_length_size = [](void*) { return Dwarf_Small{4}; },
    .get_pointer_size = [](void*) { return Dwarf_Small{8}; },
    .get_section_count = [](void*) { return Dwarf_Unsigned{kSections.size()}; },
    .load_section = load_section,
    .relocate_a_section = nullptr,
};

std::string join_path(std::string_view folder, std::string_view name) {
  if (name.starts_with('/') || folder.empty()) return std::string(name);
  std::string path(folder);
  if (!path.ends_with('/')) path += '/';
  return path += name;
}

}  // namespace

struct DwarfLines::Impl {
  ElfFile& file;
  Dwarf_Obj_Access_Interface access{};
  Dwarf_Debug debug = nullptr;
  std::unordered_map<std::uint64_t, LineTable> tables{};  // by the offset of the unit

  explicit Impl(ElfFile& elf) : file(elf) {
    access.object = &file;
    access.methods = &kMethods;
    Dwarf_Error error = nullptr;
    if (dwarf_object_init_b(&access, nullptr, nullptr, DW_GROUPNUMBER_ANY, &debug, &error) != DW_DLV_OK) {
      if (debug != nullptr && error != nullptr) dwarf_dealloc_error(debug, error);
      debug = nullptr;
    }
  }
  ~Impl() {
    Dwarf_Error error = nullptr;
    if (debug != nullptr) dwarf_object_finish(debug, &error);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // An error a libdwarf call gave belongs to us: without this each failed call leaks one.
  bool ok(int result, Dwarf_Error& error) const {
    if (result == DW_DLV_ERROR && error != nullptr) dwarf_dealloc_error(debug, error);
    error = nullptr;
    return result == DW_DLV_OK;
  }
  std::vector<std::string> folders(Dwarf_Line_Context context, Dwarf_Unsigned version) const;
  std::vector<std::string> files(Dwarf_Line_Context context, Dwarf_Unsigned version) const;
  bool read_row(Dwarf_Line line, LineRow& row, bool& ends) const;
  std::vector<LineTable::Sequence> read_rows(Dwarf_Line_Context context, std::vector<LineRow>& rows) const;
};

// By the number the file table uses: 0 is the compilation directory in every version, and stands in the table itself
// from DWARF 5 on.
std::vector<std::string> DwarfLines::Impl::folders(Dwarf_Line_Context context, Dwarf_Unsigned version) const {
  Dwarf_Error error = nullptr;
  const char* text = nullptr;
  std::string compilation;
  if (ok(dwarf_srclines_comp_dir(context, &text, &error), error) && text != nullptr) compilation = text;
  Dwarf_Signed count = 0;
  if (!ok(dwarf_srclines_include_dir_count(context, &count, &error), error)) count = 0;
  std::vector<std::string> result;
  if (version < 5) result.push_back(compilation);
  const Dwarf_Signed first = version < 5 ? 1 : 0;
  for (Dwarf_Signed i = first; i < first + count && i < kMaxFiles; ++i) {
    text = nullptr;
    if (!ok(dwarf_srclines_include_dir_data(context, i, &text, &error), error) || text == nullptr) text = "";
    result.push_back(join_path(compilation, text));
  }
  return result;
}

std::vector<std::string> DwarfLines::Impl::files(Dwarf_Line_Context context, Dwarf_Unsigned version) const {
  const std::vector<std::string> dirs = folders(context, version);
  Dwarf_Error error = nullptr;
  Dwarf_Signed base = 0;
  Dwarf_Signed count = 0;
  Dwarf_Signed end = 0;
  std::vector<std::string> result;
  if (!ok(dwarf_srclines_files_indexes(context, &base, &count, &end, &error), error)) return result;
  if (version < 5) result.emplace_back();  // numbers start at 1
  for (Dwarf_Signed i = base; i < end && i < kMaxFiles; ++i) {
    const char* name = nullptr;
    Dwarf_Unsigned folder = 0;
    Dwarf_Unsigned time = 0;
    Dwarf_Unsigned length = 0;
    Dwarf_Form_Data16* md5 = nullptr;
    const int got = dwarf_srclines_files_data_b(context, i, &name, &folder, &time, &length, &md5, &error);
    const bool usable = ok(got, error) && name != nullptr;
    result.push_back(usable ? join_path(folder < dirs.size() ? dirs[folder] : "", name) : "");
  }
  return result;
}

bool DwarfLines::Impl::read_row(Dwarf_Line line, LineRow& row, bool& ends) const {
  Dwarf_Error error = nullptr;
  Dwarf_Addr address = 0;
  Dwarf_Unsigned number = 0;
  Dwarf_Unsigned column = 0;
  Dwarf_Unsigned source = 0;
  Dwarf_Bool statement = 0;
  Dwarf_Bool end = 0;
  if (!ok(dwarf_lineaddr(line, &address, &error), error)) return false;
  if (!ok(dwarf_lineendsequence(line, &end, &error), error)) return false;
  (void)ok(dwarf_lineno(line, &number, &error), error);
  (void)ok(dwarf_lineoff_b(line, &column, &error), error);
  (void)ok(dwarf_line_srcfileno(line, &source, &error), error);
  (void)ok(dwarf_linebeginstatement(line, &statement, &error), error);
  row = {address, static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(number),
         static_cast<std::uint32_t>(column), statement != 0};
  ends = end != 0;
  return true;
}

std::vector<LineTable::Sequence> DwarfLines::Impl::read_rows(Dwarf_Line_Context context,
                                                             std::vector<LineRow>& rows) const {
  Dwarf_Error error = nullptr;
  Dwarf_Line* lines = nullptr;
  Dwarf_Signed count = 0;
  std::vector<LineTable::Sequence> sequences;
  if (!ok(dwarf_srclines_from_linecontext(context, &lines, &count, &error), error)) return sequences;
  rows.reserve(static_cast<std::size_t>(count));
  std::size_t first = 0;
  for (Dwarf_Signed i = 0; i < count; ++i) {
    LineRow row;
    bool ends = false;
    if (!read_row(lines[i], row, ends)) continue;
    if (!ends) {
      rows.push_back(row);
      continue;
    }
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, rows.end(), [](const LineRow& a, const LineRow& b) { return a.address < b.address; });
    const std::size_t size = rows.size() - first;
    // Sequences of discarded code start at address 0 or so (dwarf_ranges.cc).
    if (size > 0 && begin->address < row.address && file.is_executable_address(begin->address)) {
      sequences.push_back({{begin->address, row.address}, first, size});
      first = rows.size();
    } else {
      rows.resize(first);
    }
  }
  rows.resize(first);  // rows after the last end of a sequence belong to none
  return sequences;
}

DwarfLines::DwarfLines(ElfFile& file) : impl_(std::make_unique<Impl>(file)) {}
DwarfLines::~DwarfLines() = default;

const LineTable& DwarfLines::table(const DwarfUnit& unit) {
  const auto [slot, is_new] = impl_->tables.try_emplace(unit.offset);
  LineTable& table = slot->second;
  if (!is_new || impl_->debug == nullptr) return table;
  Dwarf_Error error = nullptr;
  Dwarf_Die die = nullptr;
  if (!impl_->ok(dwarf_offdie_b(impl_->debug, unit.die_offset, true, &die, &error), error)) return table;
  Dwarf_Unsigned version = 0;
  Dwarf_Small table_count = 0;
  Dwarf_Line_Context context = nullptr;
  if (impl_->ok(dwarf_srclines_b(die, &version, &table_count, &context, &error), error)) {
    table.files_ = impl_->files(context, version);
    table.sequences_ = impl_->read_rows(context, table.rows_);
    std::sort(table.sequences_.begin(), table.sequences_.end(),
              [](const auto& a, const auto& b) { return a.range.low < b.range.low; });
    dwarf_srclines_dealloc_b(context);
  }
  dwarf_dealloc_die(die);
  return table;
}

const LineRow* LineTable::row_at(std::uint64_t address) const {
  const auto sequence = std::upper_bound(sequences_.begin(), sequences_.end(), address,
                                         [](std::uint64_t a, const Sequence& s) { return a < s.range.low; });
  if (sequence == sequences_.begin()) return nullptr;
  const Sequence& found = *(sequence - 1);
  if (address >= found.range.high) return nullptr;
  const LineRow* begin = rows_.data() + found.first_row;
  const LineRow* after = std::upper_bound(begin, begin + found.row_count, address,
                                          [](std::uint64_t a, const LineRow& r) { return a < r.address; });
  return after == begin ? nullptr : after - 1;
}

const std::string& LineTable::file_name(std::uint64_t index) const {
  static const std::string none;
  return index < files_.size() ? files_[index] : none;
}

}  // namespace xbdbg
