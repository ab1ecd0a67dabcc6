// ui-tui/style.h — emphasis in text for a terminal; nothing at all elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace xbdbg {

struct Style {
  bool colour = false;  // the output is a terminal, and NO_COLOR is not set

  std::string bold(std::string_view text) const { return wrap("\033[1m", text); }
  std::string alarm(std::string_view text) const { return wrap("\033[1;31m", text); }
  std::string faint(std::string_view text) const { return wrap("\033[2m", text); }
  std::string good(std::string_view text) const { return wrap("\033[32m", text); }

 private:
  std::string wrap(std::string_view start, std::string_view text) const {
    if (!colour) return std::string(text);
    return std::string(start).append(text).append("\033[0m");
  }
};

}  // namespace xbdbg
