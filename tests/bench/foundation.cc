// bench_foundation [--json] [--repetitions N] — is `xbdbg run` as fast as it promises to be?
//
// Three promises, each a ratio or a difference against a baseline of the same run, so that the machine cancels out:
// locking and unlocking, switching threads, starting up. The first two are judged in CPU time (user and system, all
// processes), which other programs disturb little; start-up in wall time, since it is mostly waiting. The rows
// without a limit tell the same in wall time, and against baselines that share a core. Ends with 1 when a promise is
// broken, with 2 when it could not measure.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/measure.h"
#include "tests/bench/report.h"

namespace xbdbg::bench {
namespace {

constexpr Limit kLockUnlockAtMost{Limit::Kind::at_most, 2.5};
constexpr Limit kSwitchCheaperAtLeast{Limit::Kind::at_least, 20};
constexpr Limit kStartUpAtMostMs{Limit::Kind::at_most, 150};

constexpr long kLockIterations = 5'000'000;
constexpr long kSwitchRounds = 2'000'000;
constexpr long kFutexRounds = 50'000;

Command natively(const std::string& program, long count) {
  return {.argv = {XB_BINARY_DIR "/tests/bench/" + program, std::to_string(count)}};
}

Command on_one_core(Command command) {
  command.one_core = true;
  return command;
}

Command under_xbdbg(const Command& native) {
  Command command{.argv = {XB_BINARY_DIR "/bin/xbdbg", "run", "--"}, .one_core = native.one_core};
  command.argv.insert(command.argv.end(), native.argv.begin(), native.argv.end());
  return command;
}

Result<> lock_unlock(int repetitions, std::vector<Row>& rows) {
  const Command native = natively("lock_unlock", kLockIterations);
  XB_TRY(const auto costs, measure({under_xbdbg(native), native, on_one_core(native)}, repetitions));
  const Cost &ours = costs[0].least, &free = costs[1].least, &one_core = costs[2].least;
  rows.push_back(ratio("lock/unlock, two threads", ours.cpu_s, free.cpu_s, kLockUnlockAtMost));
  rows.push_back(ratio("  in wall time", ours.wall_s, free.wall_s, {}));
  rows.push_back(ratio("  against native threads that share a core", ours.cpu_s, one_core.cpu_s, {}));
  return Ok{};
}

struct Nanoseconds {
  double wall = 0;
  double cpu = 0;
};

// What one of `count` costs beyond starting and ending the program.
Nanoseconds each_ns(const Measured& all, const Measured& none, double count) {
  return {(all.least.wall_s - none.least.wall_s) * 1e9 / count, (all.least.cpu_s - none.least.cpu_s) * 1e9 / count};
}

Row cheaper(const std::string& name, double value_ns, double baseline_ns, std::optional<Limit> limit) {
  return {.name = name,
          .unit = "ns",
          .value = value_ns,
          .baseline = baseline_ns,
          .score = baseline_ns / value_ns,
          .score_unit = "x cheaper",
          .limit = limit};
}

Result<> thread_switch(int repetitions, std::vector<Row>& rows) {
  const Command futex = natively("futex_handoff", kFutexRounds), no_futex = natively("futex_handoff", 1);
  XB_TRY(const auto costs,
         measure({under_xbdbg(natively("yield_switch", kSwitchRounds)), under_xbdbg(natively("yield_switch", 1)),
                  under_xbdbg(natively("cond_handoff", kSwitchRounds)), under_xbdbg(natively("cond_handoff", 1)),
                  futex, no_futex, on_one_core(futex), on_one_core(no_futex)},
                 repetitions));
  const long switches = std::atol(costs[0].out.c_str());
  if (switches < kSwitchRounds) {
    return Error{Errc::unsupported,
                 fmt::format("yield_switch saw {} switches in {} rounds of two threads", switches, kSwitchRounds),
                 "a yield no longer lets the other thread run"};
  }
  const Nanoseconds by_yield = each_ns(costs[0], costs[1], static_cast<double>(switches));
  const Nanoseconds by_condition = each_ns(costs[2], costs[3], 2.0 * kSwitchRounds);
  const Nanoseconds by_futex = each_ns(costs[4], costs[5], 2.0 * kFutexRounds);
  const Nanoseconds on_core = each_ns(costs[6], costs[7], 2.0 * kFutexRounds);
  rows.push_back(
      cheaper("thread switch, against a futex hand-off", by_yield.cpu, by_futex.cpu, kSwitchCheaperAtLeast));
  rows.push_back(cheaper("  in wall time", by_yield.wall, by_futex.wall, {}));
  rows.push_back(cheaper("  against kernel threads that share a core", by_yield.cpu, on_core.cpu, {}));
  rows.push_back(
      cheaper("  hand-off with mutex and condition, against a futex's", by_condition.cpu, by_futex.cpu, {}));
  return Ok{};
}

Result<> start_up(int repetitions, std::vector<Row>& rows) {
  const Command native = natively("true", 0);
  XB_TRY(const auto costs, measure({under_xbdbg(native), native}, 4 * repetitions));
  const double ours = costs[0].least.wall_s * 1e3, baseline = costs[1].least.wall_s * 1e3;
  rows.push_back({.name = "start-up of a program that does nothing (wall time)",
                  .unit = "ms",
                  .value = ours,
                  .baseline = baseline,
                  .score = ours - baseline,
                  .score_unit = "ms more",
                  .limit = kStartUpAtMostMs});
  return Ok{};
}

Result<std::vector<Row>> run_all(int repetitions) {
  std::vector<Row> rows;
  XB_CHECK(lock_unlock(repetitions, rows));
  XB_CHECK(thread_switch(repetitions, rows));
  XB_CHECK(start_up(repetitions, rows));
  return rows;
}

int main_function(int argc, char** argv) {
  CLI::App app{"Is `xbdbg run` as fast as it promises to be?", "bench_foundation"};
  bool json = false;
  int repetitions = 9;
  app.add_flag("--json", json, "print JSON instead of a table");
  app.add_option("--repetitions", repetitions, "of each measurement; the least counts")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  double load = 0;
  (void)::getloadavg(&load, 1);
  const auto rows = run_all(repetitions);
  if (!rows) {
    fmt::print(stderr, "bench_foundation: {}\n  {}\n", rows.error().what, rows.error().hint);
    return 2;
  }
  fmt::print("{}", json ? as_json(*rows, load) : as_table(*rows, load));
  return all_met(*rows) ? 0 : 1;
}

}  // namespace
}  // namespace xbdbg::bench

int main(int argc, char** argv) { return xbdbg::bench::main_function(argc, argv); }
