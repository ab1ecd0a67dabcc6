#include "replay/divergence.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <deque>

#include "replay/journal_reader.h"
#include "replay/journal_text.h"

namespace xbdbg {

namespace {

constexpr std::size_t kRecordsBefore = 10;

struct Place {
  std::deque<JournalEntry> before{};  // the last records before the offset
  JournalEntry expected{};
  bool found = false;  // there is a record at the offset
  std::string problem{};
  bool forced_preemption = false;
};

// What was recorded at this offset, and before it. The offset comes from the target: there may be no record at it.
Place find_place(std::span<const std::byte> journal, std::uint64_t offset) {
  Place place;
  JournalCursor cursor(journal);
  while (cursor.offset() < offset) {
    const auto there = cursor.next();
    if (!there || !*there) {
      place.problem = there ? "" : there.error().what;
      return place;
    }
    const auto* preempted = std::get_if<Preempted>(&cursor.entry().body);
    place.forced_preemption = place.forced_preemption || (preempted != nullptr && preempted->forced);
    place.before.push_back(cursor.entry());
    if (place.before.size() > kRecordsBefore) place.before.pop_front();
  }
  // Counts go on from the record before, whether or not there is one here.
  if (cursor.offset() == offset) {
    const auto there = cursor.next();
    place.found = there && *there;
    if (!there) place.problem = there.error().what;
    if (place.found) place.expected = cursor.entry();
  }
  if (!place.found && !place.before.empty()) {
    const JournalEntry& last = place.before.back();
    const bool is_event = std::holds_alternative<agent::JournalEvent>(last.body);
    place.expected.event = EventIndex(last.event.raw() + (is_event ? 1 : 0));
    place.expected.thread = last.thread;
  }
  return place;
}

// The target gives the fixed part of a record only: what should follow it is taken off its count.
std::string actual_text(std::span<const std::byte> actual, const std::string& message) {
  std::array<std::byte, agent::kDivergentBytes> bytes{};
  if (actual.empty() || actual.size() > bytes.size()) return message;
  std::memcpy(bytes.data(), actual.data(), actual.size());
  const auto type = static_cast<agent::JournalType>(bytes[0]);
  constexpr std::uint32_t kNothing = 0;
  if (type == agent::JournalType::kernel) {
    bytes[offsetof(agent::JournalKernel, flags)] = std::byte{0};
    std::memcpy(bytes.data() + offsetof(agent::JournalKernel, bytes), &kNothing, sizeof kNothing);
  } else if (type == agent::JournalType::output) {
    std::memcpy(bytes.data() + offsetof(agent::JournalOutput, stored), &kNothing, sizeof kNothing);
  }
  const auto entry = decode_record(std::span(bytes).first(actual.size()), 0);
  if (!entry) return message.empty() ? "something that is no record" : message;
  std::string text = record_text(*entry);
  if (!message.empty()) text += "  (" + message + ")";
  return text;
}

void find_cause(const DivergenceInput& input, const Place& place, DivergenceReport& report) {
  if (input.problems != nullptr) {
    for (const bool module : {true, false}) {
      for (const FileProblem& problem : *input.problems) {
        if (problem.module != module) continue;
        report.cause = module ? DivergenceCause::binary_changed : DivergenceCause::file_changed;
        report.cause_text =
            fmt::format("{} {}: {}", problem.path,
                        problem.kind == FileProblem::Kind::missing ? "is missing" : "has changed since the recording",
                        problem.what);
        return;
      }
    }
  }
  if (place.forced_preemption) {
    report.cause = DivergenceCause::forced_preemption;
    report.cause_text =
        "while recording, a thread that did nothing visible was interrupted to let others run; where exactly cannot "
        "be found again";
    return;
  }
  report.cause = DivergenceCause::uncaptured_input;
  report.cause_text = "the program took something from outside that is not recorded";
}

}  // namespace

DivergenceReport describe_divergence(const DivergenceInput& input) {
  const Place place = find_place(input.journal, input.offset);
  DivergenceReport report;
  report.offset = input.offset;
  report.event = place.expected.event;
  report.thread = place.expected.thread;
  if (place.found) {
    report.expected = record_text(place.expected);
  } else if (!place.problem.empty()) {
    report.expected = place.problem;
  } else {
    report.expected = input.offset == input.journal.size()
                          ? "the end of the recording"
                          : fmt::format("no record begins at offset {} of the journal", input.offset);
  }
  report.actual = actual_text(input.actual, input.message);
  for (const JournalEntry& entry : place.before) report.before.push_back(entry_text(entry));
  find_cause(input, place, report);
  return report;
}

std::string DivergenceReport::text() const {
  std::string out = fmt::format("replay diverged at event {}, thread T{}\n", event.raw(), thread.raw());
  for (const std::string& line : before) out += "    " + line + "\n";
  out += fmt::format("  - {:>8}  T{:<3} {}    recorded\n", event.raw(), thread.raw(), expected);
  out += fmt::format("  + {:>8}  T{:<3} {}    now\n", event.raw(), thread.raw(), actual);
  out += "likely cause: " + cause_text + "\n";
  return out;
}

}  // namespace xbdbg
