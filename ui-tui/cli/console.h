// ui-tui/cli/console.h — what xbdbg itself says, always on stderr: stdout belongs to the program that is run.
//
// An error is one line that says what was tried and why it failed, and a line with what to do where that is known:
//
//   xbdbg: read schedule: open x.xbs: No such file or directory
//     hint: make one with: xbdbg run --save-schedule x.xbs -- PROG
#pragma once

#include <string>
#include <string_view>

#include "tracer/base/result.h"
#include "ui-tui/style.h"

namespace xbdbg {

// How xbdbg ends, but for `run`, where the program's own status is passed on.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFound = 1;  // what it looks for (a deadlock, a failure) was found
inline constexpr int kExitError = 2;

class Console {
 public:
  Console(int fd, Style style) : fd_(fd), style_(style) {}

  const Style& style() const { return style_; }
  void text(std::string_view text) const;  // as it is
  void note(std::string_view line) const;  // "xbdbg: line"
  void error(const Error& error) const;

 private:
  int fd_;
  Style style_;
};

std::string format_error(const Error& error, const Style& style);

// Style for this descriptor: colour only on a terminal that has any, and without NO_COLOR.
Style style_for(int fd, bool no_color, std::string_view term);

}  // namespace xbdbg
