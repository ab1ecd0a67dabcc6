#include "tracer/symbols/image.h"

#include <algorithm>

#include "tracer/symbols/cfi.h"
#include "tracer/symbols/names.h"

namespace xbdbg {
Image::Image(std::unique_ptr<ElfFile> file, DebugFileSearch search)
    : file_(std::move(file)), search_(std::move(search)) {}
Image::~Image() = default;

Result<std::shared_ptr<Image>> Image::open(const std::string& path, const DebugFileSearch& search) {
  XB_TRY(std::unique_ptr<ElfFile> file, ElfFile::open(path));
  return from_file(std::move(file), search);
}

std::shared_ptr<Image> Image::from_file(std::unique_ptr<ElfFile> file, const DebugFileSearch& search) {
  return std::shared_ptr<Image>(new Image(std::move(file), search));
}

ElfFile& Image::debug_file() {
  if (!searched_debug_file_) {
    searched_debug_file_ = true;
    const ElfSection* own = file_->find_section(".debug_info");
    if (own == nullptr || own->size == 0) separate_ = find_debug_file(*file_, search_);
  }
  return separate_ != nullptr ? *separate_ : *file_;
}

const SymbolTable& Image::symbols() {
  if (!symbols_) {
    ElfFile& source = !file_->has_symtab() && debug_file().has_symtab() ? debug_file() : *file_;
    symbols_.emplace(source.symbols());
  }
  return *symbols_;
}

const DwarfInfo& Image::dwarf() {
  if (dwarf_ != nullptr) return *dwarf_;
  dwarf_ = std::make_unique<DwarfInfo>(debug_file());
  std::vector<AddressRange> ranges;
  DwarfDie root;
  const std::vector<DwarfUnit>& units = dwarf_->units();
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].is_type_unit || !dwarf_->read(units[i], units[i].die_offset, root)) continue;
    ranges.clear();
    dwarf_->append_ranges(root, ranges);
    for (const AddressRange& range : ranges) unit_extents_.push_back({range, i});
  }
  std::sort(unit_extents_.begin(), unit_extents_.end(),
            [](const UnitExtent& a, const UnitExtent& b) { return a.range.low < b.range.low; });
  return *dwarf_;
}

const DwarfUnit* Image::unit_at(std::uint64_t address) {
  const DwarfInfo& info = dwarf();
  const auto after = std::upper_bound(unit_extents_.begin(), unit_extents_.end(), address,
                                      [](std::uint64_t a, const UnitExtent& e) { return a < e.range.low; });
  if (after == unit_extents_.begin() || address >= (after - 1)->range.high) return nullptr;
  return &info.units()[(after - 1)->unit];
}

const LineTable& Image::lines(const DwarfUnit& unit) {
  if (lines_ == nullptr) lines_ = std::make_unique<DwarfLines>(debug_file());
  return lines_->table(unit);
}

const DwarfFunctions& Image::functions(const DwarfUnit& unit) {
  std::unique_ptr<DwarfFunctions>& slot = functions_[unit.offset];
  if (slot == nullptr) slot = std::make_unique<DwarfFunctions>(dwarf(), unit);
  return *slot;
}

DwarfVariables& Image::variables() {
  if (variables_ == nullptr) variables_ = std::make_unique<DwarfVariables>(dwarf());
  return *variables_;
}

// A linkage name has the scope and the parameters. Where DWARF has none (a lambda, a local class), the symbol at the
// function's entry has them if it is mangled.
std::string Image::function_name(const FunctionNode& node) {
  const auto [slot, is_new] = function_names_.try_emplace(node.die_offset);
  if (!is_new) return slot->second;
  const EntryNames names = entry_names(dwarf(), node.die_offset);
  const ElfSymbol* symbol = names.linkage.empty() && !node.is_inlined ? symbols().function_at(node.entry) : nullptr;
  if (!names.linkage.empty()) {
    slot->second = demangle(names.linkage);
  } else if (symbol != nullptr && symbol->address == node.entry &&
             (names.plain.empty() || symbol->name.starts_with("_Z"))) {
    slot->second = demangle(symbol->name.substr(0, symbol->name.find('.')));  // without ".constprop.0"
  } else {
    slot->second = names.plain;
  }
  return slot->second;
}

ImageLocation Image::lookup(std::uint64_t address) {
  ImageLocation result;
  const DwarfUnit* unit = unit_at(address);
  SourceFrame frame;
  if (unit != nullptr) {
    const LineTable& table = lines(*unit);
    if (const LineRow* row = table.row_at(address); row != nullptr) {
      frame.file = table.file_name(row->file);
      frame.line = row->line;
      frame.column = row->column;
    }
    for (const FunctionNode* node : functions(*unit).chain_at(address)) {
      frame.function = function_name(*node);
      frame.is_inlined = node->is_inlined;
      if (!node->is_inlined) result.function_entry = node->entry;
      result.frames.push_back(std::move(frame));
      frame = {.file = table.file_name(node->call_file), .line = node->call_line, .column = node->call_column};
    }
    if (!result.frames.empty()) return result;
  }
  const ElfSymbol* symbol = symbols().function_at(address);
  if (symbol != nullptr && file_->is_executable_address(address)) {
    frame.function = demangle(symbol->name);
    result.function_entry = symbol->address;
  }
  if (!frame.function.empty() || !frame.file.empty()) result.frames.push_back(std::move(frame));
  return result;
}

std::string Image::object_name(std::uint64_t address, std::uint64_t size_hint) {
  if (const DwarfVariable* variable = variables().at(address); variable != nullptr) {
    if (std::string name = variables().name(*variable); !name.empty()) {
      return name + variables().member_path(*variable, address - variable->address, size_hint);
    }
  }
  if (const ElfSymbol* object = symbols().object_at(address); object != nullptr) {
    return with_offset(demangle(object->name), address - object->address);
  }
  const ElfSymbol* function = symbols().function_at(address);
  if (function == nullptr || !file_->is_executable_address(address)) return {};
  return with_offset(demangle(function->name), address - function->address);
}

std::optional<ImageObject> Image::find_object(std::string_view name) {
  const ElfSymbol* symbol = symbols().by_name(name);
  if (symbol != nullptr && symbol->kind == SymbolKind::object) {
    return ImageObject{demangle(symbol->name), symbol->address, symbol->size};
  }
  if (const DwarfVariable* variable = variables().by_name(name); variable != nullptr) {
    return ImageObject{std::string(name), variable->address, variable->size};
  }
  for (const ElfSymbol& object : symbols().objects()) {  // no debug information: "ns::pool" is a demangled name
    if (object.name.starts_with("_Z") && demangle(object.name) == name) {
      return ImageObject{std::string(name), object.address, object.size};
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Image::find_function(std::string_view name) {
  const ElfSymbol* symbol = symbols().by_name(name);
  if (symbol == nullptr || symbol->kind == SymbolKind::object) return std::nullopt;
  return symbol->address;
}

CfiTable& Image::cfi() {
  if (cfi_ == nullptr) cfi_ = std::make_unique<CfiTable>(*file_, debug_file());
  return *cfi_;
}

}  // namespace xbdbg
