// ui-tui/object_names.h — names for the mutexes, semaphores, ... of a program that are the same in every run.
//
// A global has the name of its symbol ("account_lock", "pool.lock"). Any other object is called after its kind and
// the order in which the objects of that kind were first used ("mutex#3"), with the place where it was initialised
// when that was seen ("mutex#3 (pool.c:17)"). An object that is initialised or destroyed ends the life of the one
// that was at the same address: the next one there gets a number of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tracer/base/ids.h"
#include "ui-tui/operations.h"

namespace xbdbg {

class ObjectNames {
 public:
  using SymbolAt = std::function<std::optional<std::string>(ObjectKind, Addr)>;  // the global at an address

  explicit ObjectNames(SymbolAt symbol_at) : symbol_at_(std::move(symbol_at)) {}

  // Also notices the object: the first call for an address gives it its number.
  const std::string& name(ObjectKind kind, Addr address);
  // The name, if the object is a global or was noticed before.
  std::optional<std::string> find(ObjectKind kind, Addr address) const;

  void initialised(ObjectKind kind, Addr address, const std::string& site);  // site: "pool.c:17", or empty
  void destroyed(ObjectKind kind, Addr address);
  void forget_symbols();  // libraries came and went: what was called after a symbol is looked up again

 private:
  using Key = std::pair<ObjectKind, Addr>;

  SymbolAt symbol_at_;
  std::map<Key, std::string> names_{};
  std::map<ObjectKind, std::uint64_t> counts_{};
};

}  // namespace xbdbg
