// Schedules per second of the core with the model interpreter, whose share of the time is the larger one. A plain
// program: bench_explorer_core
#include <chrono>
#include <cstdio>

#include "tests/unit/explorer/thesis_programs.h"

using namespace xbdbg::explore;         // NOLINT(google-build-using-namespace)
using namespace xbdbg::explore::model;  // NOLINT(google-build-using-namespace)

namespace {

void measure(const char* name, const Program& program, StrategyKind strategy, int repetitions) {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t executions = 0;
  std::uint64_t paths = 0;
  for (int i = 0; i < repetitions; ++i) {
    Options options;
    options.strategy = strategy;
    options.drive_deadlocks = false;
    const Result result = explore(program, options);
    executions += result.executions;
    paths = result.paths;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-28s %9llu paths  %8.3f s  %10.0f schedules/s\n", name, static_cast<unsigned long long>(paths),
              seconds, static_cast<double>(executions) / seconds);
}

}  // namespace

int main() {
  measure("SplitSync DD", split_sync(), StrategyKind::exitblock_dd, 10'000);
  measure("SplitSync RWDD", split_sync(), StrategyKind::exitblock_rwdd, 20'000);
  measure("SplitSync auto", split_sync(), StrategyKind::automatic, 2'000);
  measure("performance 12 1 RWDD", performance(12, 1), StrategyKind::exitblock_rwdd, 1);
  measure("performance 2 1000 RWDD", performance(2, 1000), StrategyKind::exitblock_rwdd, 1);
  measure("performance 4 1 DD", performance(4, 1), StrategyKind::exitblock_dd, 10);
  measure("performance 4 1 auto", performance(4, 1), StrategyKind::automatic, 5);
  return 0;
}
