#include "tests/bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace xbdbg::bench {
namespace {

std::string with_unit(double number, const std::string& unit) { return fmt::format("{:.2f} {}", number, unit); }

std::string limit_text(const Row& row) {
  if (!row.limit) return "-";
  return fmt::format("{} {:g} {}", row.limit->kind == Limit::Kind::at_most ? "<=" : ">=", row.limit->of,
                     row.score_unit);
}

std::string verdict(const Row& row) {
  if (!row.limit) return "";
  return is_met(row) ? "ok" : "FAIL";
}

}  // namespace

Row ratio(const std::string& name, double value_s, double baseline_s, std::optional<Limit> limit) {
  return {.name = name,
          .unit = "s",
          .value = value_s,
          .baseline = baseline_s,
          .score = value_s / baseline_s,
          .score_unit = "x",
          .limit = limit};
}

bool is_met(const Row& row) {
  if (!row.limit) return true;
  return row.limit->kind == Limit::Kind::at_most ? row.score <= row.limit->of : row.score >= row.limit->of;
}

bool all_met(const std::vector<Row>& rows) { return std::all_of(rows.begin(), rows.end(), is_met); }

std::string as_table(const std::vector<Row>& rows, double load) {
  std::string text = fmt::format("{:<58} {:>12} {:>12} {:>14} {:>16}\n", "", "xbdbg", "native", "result", "limit");
  for (const Row& row : rows) {
    text += fmt::format("{:<58} {:>12} {:>12} {:>14} {:>16}  {}\n", row.name, with_unit(row.value, row.unit),
                        with_unit(row.baseline, row.unit), with_unit(row.score, row.score_unit), limit_text(row),
                        verdict(row));
  }
  return text + fmt::format("load average when it began: {:.2f}\n", load);
}

std::string as_json(const std::vector<Row>& rows, double load) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json one = {{"name", row.name},         {"unit", row.unit},   {"value", row.value},
                                  {"baseline", row.baseline}, {"score", row.score}, {"score_unit", row.score_unit}};
    if (row.limit) {
      one[row.limit->kind == Limit::Kind::at_most ? "at_most" : "at_least"] = row.limit->of;
      one["ok"] = is_met(row);
    }
    list.push_back(std::move(one));
  }
  return nlohmann::ordered_json{{"load", load}, {"rows", list}, {"ok", all_met(rows)}}.dump(2) + "\n";
}

}  // namespace xbdbg::bench
