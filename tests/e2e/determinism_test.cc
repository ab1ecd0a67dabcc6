// The same seed gives the same execution, whatever the machine does meanwhile: byte-identical events, schedule,
// output and status in every one of XB_E2E_RUNS runs (20 unless set) of every sample.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

struct Sample {
  std::string name;
  std::vector<std::string> arguments;
};

void PrintTo(const Sample& s, std::ostream* stream) { *stream << s.name; }

std::vector<Sample> all_samples() {
  std::vector<Sample> samples;
  std::set<std::string> seen;
  for (const auto& row : nlohmann::json::parse(contents(XB_SOURCE_DIR "/samples/samples.json"))) {
    const auto arguments = row["args"].get<std::vector<std::string>>();
    samples.push_back({row["name"], arguments});
    if (row["fixed"].is_string() && seen.insert(row["fixed"]).second) samples.push_back({row["fixed"], arguments});
  }
  return samples;
}

std::string test_name(const testing::TestParamInfo<Sample>& test) {
  std::string name = test.param.name;
  for (const std::string& argument : test.param.arguments) name += "_" + argument;
  return name;
}

int runs() {
  const char* text = std::getenv("XB_E2E_RUNS");
  return text != nullptr ? std::atoi(text) : 20;
}

struct Execution {
  Outcome outcome{};
  std::string events{};
  std::string schedule{};
};

class Determinism : public testing::TestWithParam<Sample> {
 protected:
  Execution run(const std::string& seed) {
    std::vector<std::string> words = {"run",
                                      "--seed",
                                      seed,
                                      "--events",
                                      dir_ / "events",
                                      "--save-schedule",
                                      dir_ / "schedule",
                                      "--",
                                      sample(GetParam().name)};
    words.insert(words.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    const Outcome outcome = xbdbg(words);
    return {outcome, contents(dir_ / "events"), contents(dir_ / "schedule")};
  }

  // Where two texts part, for people.
  static std::string difference(const std::string& a, const std::string& b) {
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
    const std::size_t line = at == 0 ? 0 : a.rfind('\n', at - 1) + 1;
    return "first: " + a.substr(line, 300) + "\nnow:   " + b.substr(line, 300);
  }

  TempDir dir_;
};

TEST_P(Determinism, SameSeedSameExecution) {
  const Execution first = run("1");
  ASSERT_FALSE(first.outcome.timed_out) << first.outcome;
  ASSERT_NE(first.outcome.status, 2) << first.outcome;
  ASSERT_NE(first.events, "");
  for (int i = 1; i < runs(); ++i) {
    const Execution again = run("1");
    ASSERT_EQ(again.outcome, first.outcome) << "run " << i;
    ASSERT_TRUE(again.events == first.events) << "events of run " << i << " differ\n"
                                              << difference(first.events, again.events);
    ASSERT_TRUE(again.schedule == first.schedule) << "schedule of run " << i << " differs\n"
                                                  << difference(first.schedule, again.schedule);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Determinism, testing::ValuesIn(all_samples()), test_name);

}  // namespace
}  // namespace xbdbg::test
