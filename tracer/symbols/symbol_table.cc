#include "tracer/symbols/symbol_table.h"

#include <algorithm>
#include <tuple>

namespace xbdbg {
namespace {

// Nested or overlapping symbols are rare and shallow (aliases of parts of assembly functions): look back this far.
constexpr int kMaxLookBack = 16;

int rank(SymbolBinding binding) {
  switch (binding) {
    case SymbolBinding::global:
      return 0;
    case SymbolBinding::weak:
      return 1;
    case SymbolBinding::local:
      return 2;
  }
  return 3;
}

auto order(const ElfSymbol& s) {
  const std::size_t underscores = std::min(s.name.find_first_not_of('_'), s.name.size());
  // Mangled names start with _Z: that underscore says nothing.
  const std::size_t penalty = s.name.starts_with("_Z") ? 0 : underscores;
  return std::tuple(s.address, s.kind == SymbolKind::untyped, rank(s.binding), penalty, s.name.size(), s.name);
}

void sort_by_address(std::vector<ElfSymbol>& symbols) {
  std::sort(symbols.begin(), symbols.end(),
            [](const ElfSymbol& a, const ElfSymbol& b) { return order(a) < order(b); });
}

// The innermost symbol whose extent holds the address; failing that, the nearest one before it that has no size.
const ElfSymbol* find(const std::vector<ElfSymbol>& symbols, std::uint64_t address) {
  auto it = std::upper_bound(symbols.begin(), symbols.end(), address,
                             [](std::uint64_t a, const ElfSymbol& s) { return a < s.address; });
  const ElfSymbol* sized = nullptr;
  const ElfSymbol* unsized = nullptr;
  for (int i = 0; i < kMaxLookBack && it != symbols.begin(); ++i) {
    --it;
    if (sized != nullptr && it->address != sized->address) break;
    if (it->size != 0 && address - it->address < it->size) sized = &*it;  // of equals the first is the best
    if (it->size != 0 && unsized != nullptr && unsized->address - it->address < it->size)
      unsized = nullptr;  // inside it
    if (it->size == 0 && (i == 0 || (unsized != nullptr && unsized->address == it->address))) unsized = &*it;
  }
  return sized != nullptr ? sized : unsized;
}

}  // namespace

SymbolTable::SymbolTable(std::vector<ElfSymbol> symbols) {
  for (const ElfSymbol& symbol : symbols) {
    switch (symbol.kind) {
      case SymbolKind::object:
        objects_.push_back(symbol);
        break;
      case SymbolKind::function:
      case SymbolKind::ifunc:
      case SymbolKind::untyped:  // hand-written assembly
        functions_.push_back(symbol);
        break;
    }
  }
  named_ = std::move(symbols);
  sort_by_address(functions_);
  sort_by_address(objects_);
  std::sort(named_.begin(), named_.end(), [](const ElfSymbol& a, const ElfSymbol& b) {
    return std::tuple(a.name, !a.is_default_version, rank(a.binding)) <
           std::tuple(b.name, !b.is_default_version, rank(b.binding));
  });
}

const ElfSymbol* SymbolTable::function_at(std::uint64_t address) const { return find(functions_, address); }
const ElfSymbol* SymbolTable::object_at(std::uint64_t address) const { return find(objects_, address); }

const ElfSymbol* SymbolTable::by_name(std::string_view name) const {
  const auto it = std::lower_bound(named_.begin(), named_.end(), name,
                                   [](const ElfSymbol& s, std::string_view n) { return s.name < n; });
  return it != named_.end() && it->name == name ? &*it : nullptr;
}

}  // namespace xbdbg
