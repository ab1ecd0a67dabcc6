// ui-tui/trace_list.h — the traces of the store as a table and as JSON (`xbdbg ls`). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/trace_store.h"

namespace xbdbg {

// Columns are as wide as needed; the command line comes last and is not cut. No traces: no text.
std::string format_trace_list(const std::vector<StoredTrace>& traces);
std::string trace_list_json(const std::vector<StoredTrace>& traces);  // one array

std::string format_bytes(std::uint64_t bytes);  // "812 B", "12 kB", "3.4 MB"
// As a user of a shell would type it, as far as is needed to tell words apart: ./bank 'two words'
std::string format_command_line(const std::vector<std::string>& argv);

}  // namespace xbdbg
