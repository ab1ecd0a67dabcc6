// ui-tui/cli/trace_argument.h — the trace that the user means, and the store in which traces are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "replay/trace_store.h"
#include "tracer/base/result.h"
#include "ui-tui/cli/commands.h"

namespace xbdbg {

Result<TraceStore> find_store(const Context& context);

// The directory of the trace that `word` names; empty: the latest.
Result<std::string> find_trace(const Context& context, const std::string& word);

// The only word of a command that takes one trace, or none: "".
Result<std::string> one_trace(const std::vector<std::string>& words, std::string_view command);

// Text on stdout, for commands whose output it is.
Result<Ending> printed(std::string_view text);

}  // namespace xbdbg
