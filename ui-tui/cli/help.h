// ui-tui/cli/help.h — the help texts, printed from the table of commands.
#pragma once

#include <string>

#include "ui-tui/cli/commands.h"

namespace xbdbg {

std::string overview_help();
std::string command_help(const Command& command);
std::string all_help_as_markdown();  // docs/COMMANDS.md
std::string version_text();          // "xbdbg 0.1\n"
std::string version_number();        // "0.1"

}  // namespace xbdbg
