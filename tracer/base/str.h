// tracer/base/str.h — the few things about text that the standard library lacks. ASCII only, no locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"

namespace xbdbg {

// "a,,b" at ',' gives "a", "", "b"; "" gives one empty part. The parts are views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// Without spaces, tabs, newlines and carriage returns at both ends.
std::string_view trim(std::string_view text);

// The whole of `text` is digits and the number fits: no sign, no space, no "0x". `what` names the value in the error
// ("--seed").
Result<std::uint64_t> parse_u64(std::string_view text, std::string_view what = "number", int base = 10);

std::string to_hex(std::string_view bytes);           // "\x01\xff" gives "01ff"
Result<std::string> from_hex(std::string_view text);  // upper or lower case, an even number of digits

// Everything that is not printable ASCII as \n, \t or \xNN, and \ and " with a \ before it: safe for terminals.
std::string escaped(std::string_view text);
std::string quoted(std::string_view text);  // escaped, in double quotes

}  // namespace xbdbg
