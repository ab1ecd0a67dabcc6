#include "ui-tui/object_names.h"

namespace xbdbg {
namespace {

// A `#` cannot be in a symbol.
bool is_numbered(const std::string& name) { return name.find('#') != std::string::npos; }

}  // namespace

const std::string& ObjectNames::name(ObjectKind kind, Addr address) {
  const auto [at, is_new] = names_.try_emplace({kind, address});
  if (is_new) {
    if (auto symbol = symbol_at_(kind, address)) {
      at->second = std::move(*symbol);
    } else {
      at->second = std::string(to_string(kind)) + "#" + std::to_string(++counts_[kind]);
    }
  }
  return at->second;
}

std::optional<std::string> ObjectNames::find(ObjectKind kind, Addr address) const {
  if (const auto at = names_.find({kind, address}); at != names_.end()) return at->second;
  return symbol_at_(kind, address);
}

void ObjectNames::initialised(ObjectKind kind, Addr address, const std::string& site) {
  destroyed(kind, address);
  (void)name(kind, address);
  std::string& given = names_.find({kind, address})->second;
  if (!site.empty() && is_numbered(given)) given += " (" + site + ")";
}

void ObjectNames::destroyed(ObjectKind kind, Addr address) { names_.erase({kind, address}); }

void ObjectNames::forget_symbols() {
  std::erase_if(names_, [](const auto& entry) { return !is_numbered(entry.second); });
}

}  // namespace xbdbg
