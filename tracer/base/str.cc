#include "tracer/base/str.h"

#include <charconv>

namespace xbdbg {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_hex(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += kHexDigits[byte >> 4U];
  out += kHexDigits[byte & 15U];
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

Result<std::uint64_t> parse_u64(std::string_view text, std::string_view what, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, status] = std::from_chars(text.data(), end, value, base);
  if (status == std::errc{} && stopped == end) return value;
  const bool too_large = status == std::errc::result_out_of_range;
  return Error{
      Errc::bad_input,
      std::string(what) + ": " + quoted(text) + (too_large ? " does not fit in 64 bits" : " is not a number"),
      base == 16 ? "write hexadecimal digits only" : "write decimal digits only"};
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) append_hex(out, c);
  return out;
}

Result<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) {
    return Error{Errc::bad_input,
                 "hexadecimal text has an odd number of digits (" + std::to_string(text.size()) + ")"};
  }
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) {
      return Error{Errc::bad_input, "not hexadecimal at position " + std::to_string(high < 0 ? i : i + 1)};
    }
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += "\\x";
      append_hex(out, c);
    }
  }
  return out;
}

std::string quoted(std::string_view text) { return '"' + escaped(text) + '"'; }

}  // namespace xbdbg
