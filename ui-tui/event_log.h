// ui-tui/event_log.h — what comes out of the agent's stream, as event lines and as a schedule.
//
// A StreamSink that names what it sees: objects by ObjectNames, places by TargetSymbols. Lines are gathered and
// written in large pieces; the first error is kept, and returned by flush().
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "replay/schedule_file.h"
#include "tracer/stream.h"
#include "ui-tui/object_names.h"
#include "ui-tui/target_symbols.h"

namespace xbdbg {

class EventLog : public StreamSink {
 public:
  struct Output {
    int events_fd = -1;            // -1: no event lines
    Schedule* schedule = nullptr;  // nullptr: choices are not kept
    Pid target{-1};                // whose modules are read when they change
  };
  EventLog(TargetSymbols& symbols, ObjectNames& names, Output output);

  void on_event(const agent::EventRecord& event, std::span<const std::byte> stack) override;
  void on_choice(const agent::ChoiceRecord& record) override;
  void on_name(const agent::NameRecord& record) override;
  void on_modules_changed() override;

  Result<> flush();
  std::uint64_t records() const { return records_; }  // seen so far

 private:
  struct Site {
    std::string json{};   // for the line
    std::string place{};  // "pool.c:17", for names; "init_pool" where the line is not known
  };
  const Site& site_of(const agent::EventRecord& event, std::span<const std::byte> stack);
  std::string object_of(const agent::EventRecord& event, const Site& site);
  void write_out();

  TargetSymbols& symbols_;
  ObjectNames& names_;
  Output output_;
  ScheduleLimits limits_{};
  std::string buffer_{};
  std::unordered_map<std::uint64_t, Site> sites_{};
  std::unordered_map<std::uint32_t, std::string> thread_names_{};
  std::optional<Error> error_{};
  std::uint64_t records_ = 0;
};

}  // namespace xbdbg
