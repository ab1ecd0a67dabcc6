// ui-tui/event_json.h — one event of an execution as one line of JSON (`xbdbg run --events`).
//
//   {"index":7,"thread":"T1","name":"worker","op":"mutex_lock","object":"lock_a","result":0,
//    "function":"transfer","file":"bank.c","line":21}
//
// (on one line). `name` is there for named threads, `mutex` for waits on a condition, `object`, `function` and `file`
// where they are known. Pure: no I/O. The text is the same for the same event, whatever the machine: there are no
// addresses in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/agent/protocol.h"

namespace xbdbg {

// A place in the program's source; what is not known is empty or 0.
struct SourceSite {
  std::string function{};
  std::string file{};
  std::uint32_t line = 0;
};

struct EventLine {
  std::uint64_t index = 0;
  std::uint32_t thread = 0;
  std::string_view thread_name{};
  agent::Operation operation{};
  std::string_view object{};
  std::string_view mutex{};  // of a wait on a condition variable
  std::int32_t result = 0;
  std::string_view site{};  // from site_json
};

// ,"function":"transfer","file":"bank.c","line":21 — made once per call site, not once per event.
std::string site_json(const SourceSite& site);
void append_event_json(std::string& out, const EventLine& event);

// With the quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace xbdbg
