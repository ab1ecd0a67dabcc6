// ui-tui/target_symbols.h — what addresses of the target mean, in the words of its source.
//
// A view of one process: its modules are those found at the last `refresh`. What is asked for often (the place of a
// return address) is remembered. Works without debug information: then places have no file, and objects no name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/agent/protocol.h"
#include "tracer/base/ids.h"
#include "tracer/base/result.h"
#include "tracer/symbols/module_map.h"
#include "tracer/symbols/symbolizer.h"
#include "ui-tui/event_json.h"
#include "ui-tui/operations.h"

namespace xbdbg {

class TargetSymbols {
 public:
  // Files below `working_directory` are shown relative to it.
  explicit TargetSymbols(std::string working_directory);

  // Reads the process's memory map. A process that has ended keeps the modules it had.
  Result<> refresh(Pid pid);

  // Of calls that were inlined there: the innermost that is the user's own, not a header of the system's.
  SourceSite site(Addr return_address);
  // The place in the program itself (not in a library) from which an event came: the return address, or, when that is
  // in a library, the innermost frame of the program on the copied piece of stack. Where the program has no part in
  // it (a library's own thread) it is the library's; what the C library does on its own (starting a thread) has no
  // place: it would be of no use, and its debug information is slow to read.
  std::optional<Addr> program_address(const agent::EventRecord& event, std::span<const std::byte> stack);
  // Innermost first, inlined calls included, those of the system's headers left out.
  std::vector<SourceSite> backtrace(Pid pid, const agent::ThreadView& thread);

  std::optional<std::string> global(ObjectKind kind, Addr address);

 private:
  struct Place {
    SourceSite site{};
    bool is_users_own = false;  // it is in the program, and in the user's part of it
  };

  bool is_program(Addr address) const;
  const Place& place(Addr return_address);
  std::string shown_path(const std::string& path) const;
  std::vector<SourceSite> sites_of(const Location& location) const;

  std::string folder_;
  ImageCache images_{};
  ModuleSymbolizer symbols_{ModuleMap{}};
  std::string program_{};  // path of the executable
  std::unordered_map<std::uint64_t, Place> places_{};
};

}  // namespace xbdbg
