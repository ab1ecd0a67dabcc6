// tests/bench/report.h — what a benchmark found, as a table for people or as JSON. Pure: no I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xbdbg::bench {

struct Limit {
  enum class Kind { at_most, at_least } kind = Kind::at_most;
  double of = 0;
};

// `score` is what the limit is for: a ratio of value and baseline, or their difference, as `score_unit` says.
struct Row {
  std::string name{};
  std::string unit{};  // of value and baseline: "s", "ns", "ms"
  double value = 0;
  double baseline = 0;
  double score = 0;
  std::string score_unit{};      // "x", "ms more"
  std::optional<Limit> limit{};  // without: told, not judged
};

// The row of two times of which the first is judged by how many times the second it is.
Row ratio(const std::string& name, double value_s, double baseline_s, std::optional<Limit> limit);

bool is_met(const Row& row);
bool all_met(const std::vector<Row>& rows);

// `load`: the load average at the beginning; numbers from a busy machine deserve less trust.
std::string as_table(const std::vector<Row>& rows, double load);
std::string as_json(const std::vector<Row>& rows, double load);

}  // namespace xbdbg::bench
