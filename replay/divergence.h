// replay/divergence.h — the report about a replay that does not do what the journal says.
//
//   replay diverged at event 1841, thread T3
//       1839  T3  mutex_unlock ...
//       1840  T3  mutex_lock ...
//     - 1841  T3  cond_signal ...      recorded
//     + 1841  T3  cond_broadcast ...   now
//   likely cause: /home/u/bank has changed since (its build-id was ..., and is ... now)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "replay/start_check.h"
#include "replay/trace_reader.h"
#include "tracer/base/ids.h"

namespace xbdbg {

enum class DivergenceCause : std::uint8_t {
  binary_changed,     // the program, a library or the agent is not the one that was recorded
  file_changed,       // a mapped file, or its copy, is not what it was
  forced_preemption,  // a thread was stopped in the middle of something while recording
  uncaptured_input,   // none of these: the program took something from outside that is not recorded
};

struct DivergenceReport {
  std::uint64_t offset = 0;  // in the journal
  EventIndex event{};
  ThreadIndex thread{};
  std::string expected{};             // record_text of what was recorded; "the end of the recording"
  std::string actual{};               // of what the program does now; or the agent's message
  std::vector<std::string> before{};  // the last ten records that agreed, oldest first (entry_text)
  DivergenceCause cause = DivergenceCause::uncaptured_input;
  std::string cause_text{};
  std::string text() const;  // the whole report, several lines, the last one ended by a newline
};

struct DivergenceInput {
  std::span<const std::byte> journal{};
  std::uint64_t offset = 0;             // Status::divergence.offset
  std::span<const std::byte> actual{};  // Status::divergence.actual: the fixed part of a record; may be empty
  std::string message{};                // Status::message
  const std::vector<FileProblem>* problems = nullptr;  // of check_start; those that were changed are likely causes
};

// Never fails: whatever the target wrote into Status, there is a report.
DivergenceReport describe_divergence(const DivergenceInput& input);

}  // namespace xbdbg
