// replay/schedule_file.h — the choices of one execution, as a value and as a text file.
//
// A Schedule is everything that was not determined by the program: which thread went on, which waiter was woken,
// whether a timed wait expired (tracer/agent/protocol.h, Choice). It is kept run-length compressed, in memory and in
// the file:
//
//   xbdbg-schedule 1                 the version of the format
//   program ./bank                   argv[0]; then one `argument` line for each further one
//   argument 10
//   build-id 8f3c01aa                of the program; left out when it has none
//   policy random                    who made the choices (of a schedule that was followed: the maker's), and its
//   seed seed 42 events 812                       of the whole execution choices 37                       the sum of
//   the counts below t 1 x35 of 2                     thread T1 went on, 35 times, among 2 that could w 3 of 4 of 4
//   waiters T3 was woken e 1 of 2                         a timed wait expired (0: it did not) end
//
// Empty lines and lines that start with # are for people. Everything else is strict: the header in this order, one
// space between words, numbers without leading zeros; a file that was cut off has no `end`. Bytes that would disturb
// the lines (control characters and %) are written as %XX in program and arguments.
//
// This file does no I/O. A text is treated as hostile: what it can make us allocate is bounded by ScheduleLimits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/agent/protocol.h"
#include "tracer/base/result.h"

namespace xbdbg {

inline constexpr std::uint32_t kScheduleVersion = 1;

struct ScheduleLimits {
  std::size_t file_bytes = std::size_t{1} << 30;
  std::size_t line_bytes = 512 * 1024;  // three times the longest argument the kernel takes (%XX), and more
  std::uint64_t choices = std::uint64_t{1} << 26;  // 512 MiB when expanded for the agent
  std::size_t arguments = 65536;
};

struct ScheduleRun {
  agent::Choice choice{};
  std::uint32_t count = 1;
  std::uint32_t line = 0;  // where it was read from; 0: it was not
};

struct ScheduleHeader {
  std::string program{};
  std::vector<std::string> arguments{};
  std::string build_id{};  // lower-case hexadecimal, or empty
  agent::PolicyKind policy = agent::PolicyKind::first;
  std::uint64_t seed = 0;
  std::uint64_t events = 0;
};

class Schedule {
 public:
  ScheduleHeader header{};

  void append(const agent::Choice& choice) { append(ScheduleRun{choice}); }
  void append(const ScheduleRun& run);
  std::uint64_t choices() const { return choices_; }
  const std::vector<ScheduleRun>& runs() const { return runs_; }

  // The run that has choice number `step` (from 0); nullptr when there are not so many.
  const ScheduleRun* find(std::uint64_t step) const;

 private:
  std::vector<ScheduleRun> runs_{};
  std::uint64_t choices_ = 0;
};

// `name` is what errors call the text: "bad.xbs:7: ...".
Result<Schedule> parse_schedule(std::string_view text, std::string_view name, const ScheduleLimits& limits = {});
std::string print_schedule(const Schedule& schedule);

// Writes all choices to `out`, which has room for schedule.choices() of them.
void expand_choices(const Schedule& schedule, std::span<agent::Choice> out);

// "t 1 of 2": one line of the file, for messages.
std::string print_run(const ScheduleRun& run);

std::string_view policy_name(agent::PolicyKind policy);  // "round-robin"
std::optional<agent::PolicyKind> policy_from_name(std::string_view name);

}  // namespace xbdbg
