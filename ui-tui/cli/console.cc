#include "ui-tui/cli/console.h"

#include <unistd.h>

#include "tracer/base/unique_fd.h"

namespace xbdbg {

std::string format_error(const Error& error, const Style& style) {
  std::string out = "xbdbg: " + style.alarm(error.what) + "\n";
  if (!error.hint.empty()) out += "  hint: " + error.hint + "\n";
  return out;
}

// A stderr that cannot be written to leaves nobody to tell: the exit status still says what happened.
void Console::text(std::string_view text) const { (void)write_all(fd_, text); }

void Console::note(std::string_view line) const { text("xbdbg: " + std::string(line) + "\n"); }

void Console::error(const Error& error) const { text(format_error(error, style_)); }

Style style_for(int fd, bool no_color, std::string_view term) {
  return Style{.colour = !no_color && !term.empty() && term != "dumb" && ::isatty(fd) == 1};
}

}  // namespace xbdbg
