// tracer/symbols/symbolizer.h — what addresses of a process mean to a person: functions, source lines, variables.
//
// Symbols are a convenience: every answer may be empty, and callers then show the address. The interface is what
// reports, the gdb stub and the TUI use; ModuleSymbolizer is the implementation over a ModuleMap.
//
//   ModuleSymbolizer symbols(ModuleMap::build(mappings, cache));
//   Location where = symbols.lookup_return_address(frame.pc);
//   where.function(), where.file(), where.line()         // of the innermost inlined frame
//   symbols.object_name(mutex_address, 40)               // "pool.lock"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/ids.h"
#include "tracer/symbols/module_map.h"

namespace xbdbg {

struct Location {
  Addr address{};
  std::string module{};               // path; empty: in no known file
  std::uint64_t module_offset = 0;    // link-time address in that file
  std::uint64_t function_offset = 0;  // from the start of the real function
  std::vector<SourceFrame> frames{};  // innermost inlined call first, the real function last; may be empty

  const std::string& function() const;  // of the innermost frame; empty: unknown
  const std::string& file() const;
  std::uint32_t line() const;
  std::string to_string() const;  // "worker(int)+0x1c at pool.cc:41", as much as is known, else "0x7f..."
};

struct GlobalObject {
  std::string name{};
  Addr address{};
  std::uint64_t size = 0;  // 0: unknown
};

class Symbolizer {
 public:
  virtual ~Symbolizer() = default;

  virtual Location lookup(Addr address) = 0;
  // The call a return address belongs to: the instruction before it. The Location's address is `address` itself.
  virtual Location lookup_return_address(Addr address) = 0;
  // "account_lock", "pool.lock", "locks[3]", "symbol+0x10"; empty: nothing is known there. `size_hint` is the size of
  // the object in question, if known: it tells a structure from its first member.
  virtual std::string object_name(Addr address, std::uint64_t size_hint = 0) = 0;
  virtual std::optional<GlobalObject> find_global(std::string_view name) = 0;
  virtual std::optional<Addr> find_function(std::string_view name) = 0;

  std::string source_of(Addr address);  // "file:line", or empty
};

class ModuleSymbolizer : public Symbolizer {
 public:
  explicit ModuleSymbolizer(ModuleMap modules) : modules_(std::move(modules)) {}

  void set_modules(ModuleMap modules) { modules_ = std::move(modules); }
  const ModuleMap& modules() const { return modules_; }

  Location lookup(Addr address) override;
  Location lookup_return_address(Addr address) override;
  std::string object_name(Addr address, std::uint64_t size_hint = 0) override;
  std::optional<GlobalObject> find_global(std::string_view name) override;  // modules in order of address
  std::optional<Addr> find_function(std::string_view name) override;

 private:
  ModuleMap modules_;
};

}  // namespace xbdbg
