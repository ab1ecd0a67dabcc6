// bench_record_replay [--json] [--repetitions N] — do recording and replaying cost what they may?
//
// Each promise is a ratio against the native program in the same run, everything pinned to one core. What is judged
// is CPU time of all processes, the recorder's thread and its compression included, since other programs disturb it
// little; the wall time is told beside it. Requests per second are judged as they are. Ends with 1 when a promise is
// broken, with 2 when it could not measure.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "replay/journal_reader.h"
#include "replay/trace_reader.h"
#include "tests/bench/measure.h"
#include "tests/bench/report.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::bench {
namespace {

constexpr Limit kComputingAtMost{Limit::Kind::at_most, 1.15};
constexpr Limit kReplayAtMost{Limit::Kind::at_most, 1.0};
constexpr Limit kRedisAtLeast{Limit::Kind::at_least, 1.0 / 6};
constexpr Limit kSystemCallsAtMost{Limit::Kind::at_most, 25};
constexpr Limit kBytesAtMost{Limit::Kind::at_most, 20};

constexpr std::size_t kPigzBytes = 100'000'000;
constexpr long kOneByteCalls = 1'000'000;
constexpr long kLockIterations = 250'000;
constexpr long kRedisRequests = 20'000;
constexpr long kRedisThreadedRequests = 400;  // io threads that share a core spin away their time slices

const std::string kXbdbg = XB_BINARY_DIR "/bin/xbdbg";

std::string program(const std::string& name) { return XB_BINARY_DIR "/tests/bench/" + name; }

Command pinned(std::vector<std::string> argv) { return {.argv = std::move(argv), .one_core = true}; }

// A recording needs a directory that is not there yet.
Command recorded(const std::string& trace, const std::vector<std::string>& argv) {
  Command command =
      pinned({"/bin/sh", "-c", "rm -rf \"$0\" && exec \"$@\"", trace, kXbdbg, "record", "-o", trace, "--"});
  command.argv.insert(command.argv.end(), argv.begin(), argv.end());
  return command;
}

Command replayed(const std::string& trace) { return pinned({kXbdbg, "replay", trace}); }

struct Sizes {
  double journal = 0, on_disk = 0;  // bytes
  double synchronisation = 0;       // bytes of events and thread switches
  double events = 0;                // how many these are
};

Result<Sizes> sizes_of(const std::string& trace_directory) {
  XB_TRY(const Trace trace, Trace::open(trace_directory));
  XB_TRY(const std::vector<std::byte> journal, trace.read_journal());
  Sizes sizes{.journal = static_cast<double>(journal.size()), .on_disk = static_cast<double>(trace.disk_bytes())};
  JournalCursor cursor(journal);
  while (true) {
    XB_TRY(const bool there, cursor.next());
    if (!there) return sizes;
    const JournalRecord& body = cursor.entry().body;
    if (!std::holds_alternative<agent::JournalEvent>(body) && !std::holds_alternative<agent::JournalThread>(body)) {
      continue;
    }
    sizes.synchronisation += static_cast<double>(cursor.entry().size);
    ++sizes.events;
  }
}

// Text that compresses as text does: words of a small vocabulary, the same each time.
Result<> write_text(const std::string& path) {
  std::mt19937 random(1);
  std::vector<std::string> words(5000);
  for (std::string& word : words) {
    for (auto left = 2 + random() % 9; left > 0; --left) word += static_cast<char>('a' + random() % 26);
    word += ' ';
  }
  std::string text;
  while (text.size() < kPigzBytes) text += words[random() % words.size()];
  text.resize(kPigzBytes);
  std::ofstream(path, std::ios::binary) << text;
  return Ok{};
}

Row size_row(const std::string& name, const Sizes& sizes) {
  constexpr double kMega = 1e6;
  return {.name = name,
          .unit = "MB",
          .value = sizes.on_disk / kMega,
          .baseline = sizes.journal / kMega,
          .score = sizes.journal / sizes.on_disk,
          .score_unit = "x smaller"};
}

Result<> computing(const std::string& scratch, int repetitions, std::vector<Row>& rows) {
  const std::string text = scratch + "/text", trace = scratch + "/pigz";
  XB_CHECK(write_text(text));
  const std::vector<std::string> pigz = {"/usr/bin/pigz", "-p", "4", "-c", text};
  XB_TRY(const auto costs, measure({recorded(trace, pigz), replayed(trace), pinned(pigz)}, repetitions));
  const Cost &record = costs[0].least, &replay = costs[1].least, &native = costs[2].least;
  rows.push_back(ratio("recording pigz of 100 MB", record.cpu_s, native.cpu_s, kComputingAtMost));
  rows.push_back(ratio("  in wall time", record.wall_s, native.wall_s, {}));
  rows.push_back(ratio("replaying it, against recording it", replay.cpu_s, record.cpu_s, kReplayAtMost));
  rows.push_back(ratio("  in wall time", replay.wall_s, record.wall_s, {}));
  rows.push_back(ratio("  against the native program", replay.cpu_s, native.cpu_s, {}));
  XB_TRY(const Sizes sizes, sizes_of(trace));
  rows.push_back(size_row("  trace on disk, against before compression", sizes));
  return Ok{};
}

Result<> system_calls(const std::string& scratch, int repetitions, std::vector<Row>& rows) {
  const std::string trace = scratch + "/calls", count = std::to_string(kOneByteCalls);
  for (const bool pipe : {false, true}) {
    std::vector<std::string> argv = {program("one_byte"), count};
    if (pipe) argv.emplace_back("pipe");
    XB_TRY(const auto costs, measure({recorded(trace, argv), replayed(trace), pinned(argv)}, repetitions));
    const double native = costs[2].least.cpu_s;
    rows.push_back(ratio(pipe ? "1,000,000 one-byte writes and reads, through a pipe"
                              : "1,000,000 one-byte writes and reads, null and zero",
                         costs[0].least.cpu_s, native, kSystemCallsAtMost));
    rows.push_back(ratio("  in wall time", costs[0].least.wall_s, costs[2].least.wall_s, {}));
    rows.push_back(ratio("  replayed", costs[1].least.cpu_s, native, {}));
    XB_TRY(const Sizes sizes, sizes_of(trace));
    rows.push_back(size_row("  trace on disk, against before compression", sizes));
  }
  return Ok{};
}

// Requests per second: the best of the repetitions.
Result<double> redis(const std::vector<std::string>& prefix, long requests, int io_threads, int repetitions) {
  std::vector<std::string> argv = {XB_SOURCE_DIR "/tests/bench/programs/redis_get.sh", std::to_string(requests),
                                   std::to_string(io_threads)};
  argv.insert(argv.end(), prefix.begin(), prefix.end());
  double best = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    if (!prefix.empty()) std::filesystem::remove_all(prefix[3]);
    XB_TRY(const auto costs, measure({pinned(argv)}, 1));
    best = std::max(best, std::atof(costs[0].out.c_str()));
  }
  return best;
}

Result<> serving(const std::string& scratch, int repetitions, std::vector<Row>& rows) {
  const std::string trace = scratch + "/redis";
  for (const int io_threads : {1, 4}) {
    const long requests = io_threads == 1 ? kRedisRequests : kRedisThreadedRequests;
    XB_TRY(const double native, redis({}, requests, io_threads, repetitions));
    XB_TRY(const double ours, redis({kXbdbg, "record", "-o", trace, "--"}, requests, io_threads, repetitions));
    rows.push_back({.name = io_threads == 1 ? "redis-benchmark GET" : "  with --io-threads 4",
                    .unit = "/s",
                    .value = ours,
                    .baseline = native,
                    .score = ours / native,
                    .score_unit = "x",
                    .limit = io_threads == 1 ? std::optional(kRedisAtLeast) : std::nullopt});
  }
  return Ok{};
}

Result<> locking(const std::string& scratch, int repetitions, std::vector<Row>& rows) {
  const std::string trace = scratch + "/locks";
  const std::vector<std::string> argv = {program("lock_unlock"), std::to_string(kLockIterations)};
  XB_TRY(const auto costs, measure({recorded(trace, argv), replayed(trace), pinned(argv)}, repetitions));
  rows.push_back(
      ratio("recording two threads that lock and unlock", costs[0].least.wall_s, costs[2].least.wall_s, {}));
  rows.push_back(ratio("  replayed", costs[1].least.wall_s, costs[2].least.wall_s, {}));
  XB_TRY(const Sizes sizes, sizes_of(trace));
  rows.push_back({.name = "  bytes per event (all of the journal; without the rest)",
                  .unit = "B",
                  .value = sizes.journal / sizes.events,
                  .baseline = sizes.synchronisation / sizes.events,
                  .score = sizes.synchronisation / sizes.events,
                  .score_unit = "B",
                  .limit = kBytesAtMost});
  rows.push_back(size_row("  trace on disk, against before compression", sizes));
  return Ok{};
}

Result<std::vector<Row>> run_all(int repetitions) {
  test::TempDir scratch;
  std::vector<Row> rows;
  XB_CHECK(computing(scratch.path(), repetitions, rows));
  XB_CHECK(system_calls(scratch.path(), repetitions, rows));
  XB_CHECK(serving(scratch.path(), repetitions, rows));
  XB_CHECK(locking(scratch.path(), repetitions, rows));
  return rows;
}

int main_function(int argc, char** argv) {
  CLI::App app{"Do recording and replaying cost what they may?", "bench_record_replay"};
  bool json = false;
  int repetitions = 3;
  app.add_flag("--json", json, "print JSON instead of a table");
  app.add_option("--repetitions", repetitions, "of each measurement; the best counts")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  double load = 0;
  (void)::getloadavg(&load, 1);
  const auto rows = run_all(repetitions);
  if (!rows) {
    fmt::print(stderr, "bench_record_replay: {}\n  {}\n", rows.error().what, rows.error().hint);
    return 2;
  }
  fmt::print("{}", json ? as_json(*rows, load) : as_table(*rows, load));
  return all_met(*rows) ? 0 : 1;
}

}  // namespace
}  // namespace xbdbg::bench

int main(int argc, char** argv) { return xbdbg::bench::main_function(argc, argv); }
