// Every sample under the default policy, round-robin and some random schedules: one without a fault gives its output
// and ends well in all of them, one with a fault shows it or not, but is never refused and never hangs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/run_command.h"

namespace xbdbg::test {
namespace {

using Words = std::vector<std::string>;

struct Sample {
  std::string name;
  Words arguments;
  std::string output;
  bool faulty;
};

std::vector<Sample> all_samples() {
  std::vector<Sample> samples;
  for (const auto& row : nlohmann::json::parse(contents(XB_SOURCE_DIR "/samples/samples.json"))) {
    const Words arguments = row["args"].get<Words>();
    samples.push_back({row["name"], arguments, row["output"], row["faulty"]});
    if (row["fixed"].is_string()) samples.push_back({row["fixed"], arguments, row["output"], false});
  }
  return samples;
}

std::vector<Words> schedules() {
  std::vector<Words> all = {{}, {"--policy", "round-robin"}};
  for (int seed = 0; seed < 5; ++seed) all.push_back({"--policy", "random", "--seed", std::to_string(seed)});
  return all;
}

TEST(Samples, WithoutAFaultGiveTheirOutputInEverySchedule) {
  for (const Sample& s : all_samples()) {
    for (const Words& options : schedules()) {
      Words words = {"run"};
      words.insert(words.end(), options.begin(), options.end());
      words.insert(words.end(), {"--", sample(s.name)});
      words.insert(words.end(), s.arguments.begin(), s.arguments.end());
      const Outcome outcome = xbdbg(words);
      const auto what = s.name + " " + testing::PrintToString(options);
      EXPECT_FALSE(outcome.timed_out) << what;
      EXPECT_NE(outcome.status, 2) << what << "\n" << outcome;
      if (s.faulty) continue;
      EXPECT_EQ(outcome.status, 0) << what << "\n" << outcome;
      EXPECT_EQ(outcome.out, s.output) << what << "\n" << outcome;
    }
  }
}

}  // namespace
}  // namespace xbdbg::test
