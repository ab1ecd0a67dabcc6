#include "ui-tui/trace_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "tracer/base/str.h"

namespace xbdbg {
namespace {

constexpr std::size_t kColumns = 5;
using Row = std::array<std::string, kColumns>;

std::string format_time(std::int64_t ns) {
  const std::time_t seconds = ns / 1'000'000'000;
  std::tm local{};
  char text[32];
  if (::localtime_r(&seconds, &local) == nullptr) return "?";
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local));
}

std::string how_it_ended(const StoredTrace& trace) {
  if (trace.recording) return "being recorded";
  if (!trace.complete) return "incomplete";
  return trace.ending ? describe_ending(*trace.ending) : "damaged";
}

Row row_of(const StoredTrace& trace) {
  return {trace.name + (trace.latest ? " *" : ""), format_bytes(trace.bytes),
          trace.info ? format_time(trace.info->start_time_ns) : "?", how_it_ended(trace),
          trace.info ? format_command_line(trace.info->argv) : escaped(trace.problem)};
}

bool is_plain(const std::string& word) {
  constexpr std::string_view kPlain = "%+,-./:=@_^";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Text from a trace can be any bytes; JSON is UTF-8.
std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string format_command_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += is_plain(word) ? word : xbdbg::quoted(word);
  }
  return line;
}

std::string format_trace_list(const std::vector<StoredTrace>& traces) {
  if (traces.empty()) return {};
  std::vector<Row> rows{{"NAME", "SIZE", "RECORDED", "ENDING", "COMMAND"}};
  for (const StoredTrace& trace : traces) rows.push_back(row_of(trace));
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    out += fmt::format("{:<{}}  {:>{}}  {:<{}}  {:<{}}  {}\n", row[0], widths[0], row[1], widths[1], row[2],
                       widths[2], row[3], widths[3], row[4]);
  }
  return out;
}

std::string trace_list_json(const std::vector<StoredTrace>& traces) {
  auto list = nlohmann::ordered_json::array();
  for (const StoredTrace& trace : traces) {
    nlohmann::ordered_json entry;
    entry["name"] = trace.name;
    entry["directory"] = trace.directory;
    entry["complete"] = trace.complete;
    entry["recording"] = trace.recording;
    entry["latest"] = trace.latest;
    entry["bytes"] = trace.bytes;
    if (trace.info) {
      entry["command"] = trace.info->argv;
      entry["start_time_ns"] = trace.info->start_time_ns;
    }
    if (trace.ending) {
      entry["ending"] = ending_name(trace.ending->kind);
      entry["value"] = trace.ending->value;
      entry["events"] = trace.ending->events;
    }
    if (!trace.problem.empty()) entry["problem"] = trace.problem;
    list.push_back(std::move(entry));
  }
  return dumped(list) + "\n";
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double shown = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (shown < 999.5) break;
    shown /= 1000;
    unit = next;
  }
  return shown < 9.95 ? fmt::format("{:.1f} {}", shown, unit) : fmt::format("{:.0f} {}", shown, unit);
}

}  // namespace xbdbg
