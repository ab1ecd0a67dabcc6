#include "replay/trace.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace xbdbg {
namespace {

using Kind = TraceEnding::Kind;

struct EndingRow {
  Kind kind;
  std::string_view name;
};
// `unfinished` is never written: it is what a trace without an ending has.
constexpr std::array kEndings = {
    EndingRow{Kind::exited, "exited"},     EndingRow{Kind::killed, "killed"},
    EndingRow{Kind::deadlock, "deadlock"}, EndingRow{Kind::no_progress, "no_progress"},
    EndingRow{Kind::failed, "failed"},
};

}  // namespace

std::string_view ending_name(Kind kind) {
  for (const EndingRow& row : kEndings) {
    if (row.kind == kind) return row.name;
  }
  return "unfinished";
}

std::optional<Kind> ending_from_name(std::string_view name) {
  for (const EndingRow& row : kEndings) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::string describe_ending(const TraceEnding& ending) {
  switch (ending.kind) {
    case Kind::exited:
      return fmt::format("exited with {}", ending.value);
    case Kind::killed: {
      const char* name = ::sigabbrev_np(ending.value);
      return name != nullptr ? fmt::format("killed by SIG{}", name)
                             : fmt::format("killed by signal {}", ending.value);
    }
    case Kind::deadlock:
      return "deadlock";
    case Kind::no_progress:
      return "no progress";
    case Kind::failed:
      return "failed: " + ending.message;
    case Kind::unfinished:
      return "unfinished";
  }
  return "unknown";
}

}  // namespace xbdbg
