// ui-tui/cli/target_session.h — one execution of a program under the agent, from launch to the way it ended: what
// `run`, `record` and `replay` have in common.
//
// TargetSession launches, passes signals on, watches for stalls, follows exec, and finds out how the target ended:
// its exit, its death, a deadlock, a failure of the agent. What is different between the commands is said by a
// SessionRole, in this order:
//
//   launched()                                 the target is there, and may be running already
//   look(), followed_exec()                    again and again
//   conclude()                                 it has ended, or stands still for ever: the way xbdbg ends
//   finish()                                   it is gone
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/schedule_file.h"
#include "tracer/base/log.h"
#include "tracer/follow_exec.h"
#include "tracer/launch.h"
#include "tracer/stall_watcher.h"
#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/pass_through.h"
#include "ui-tui/object_names.h"
#include "ui-tui/target_symbols.h"

namespace xbdbg {

struct TargetEnd {
  enum class Kind : std::uint8_t {
    exited,         // `value` is the exit status
    killed,         // `value` is the signal
    deadlock,       // no thread can run any more; the target stands still
    no_progress,    // the same, and some thread spins
    failed,         // the agent cannot go on: status.message; the target stands still
    diverged,       // replay: it does not do what was recorded; the target stands still
    journal_ended,  // replay: the recording goes no further; the target stands still
  };
  Kind kind = Kind::exited;
  int value = 0;
  AgentStatus status{};
};

// Signals with which a user or a system ends programs.
bool is_request_to_end(int signal);

class TargetSession;

class SessionRole {
 public:
  virtual ~SessionRole() = default;

  virtual Result<> launched(Launched& target) = 0;
  // On each turn of the loop. With an end: the target is not to run any further.
  virtual Result<std::optional<TargetEnd>> look() = 0;
  virtual std::optional<std::chrono::milliseconds> patience() const { return std::nullopt; }  // until the next look
  virtual FollowOptions follow_options(const AgentStatus&) const { return {}; }
  virtual Result<> followed_exec(const FollowedExec&) { return Ok{}; }
  // A thread that makes no event for long: how long it may, and whether the user cares that it got no further.
  virtual StallLimits stall_limits() const { return {}; }
  virtual bool repeatable() const { return false; }

  virtual Result<Ending> conclude(const TargetEnd& end) = 0;
  // `end` may be an error of xbdbg's own. An error from here is reported if there was none.
  virtual Result<> finish(const Result<TargetEnd>& end) = 0;
};

class TargetSession {
 public:
  TargetSession(const Context& context, const LogFilter& log);
  TargetSession(const TargetSession&) = delete;  // names_ points to symbols_
  TargetSession& operator=(const TargetSession&) = delete;

  Result<Ending> run(const LaunchOptions& options, SessionRole& role);

  // For the role.
  const Context& context() const { return context_; }
  const Logger& logger() const { return logger_; }
  TargetSymbols& symbols() { return symbols_; }
  ObjectNames& names() { return names_; }
  Launched& target() { return *target_; }
  // Ends as the program did: with its status, by its signal, after a report about its deadlock; or with the agent's
  // error, to which the schedule that was followed belongs.
  Result<Ending> as_the_program(const TargetEnd& end, const std::optional<Schedule>& followed);
  Result<Ending> report_deadlock();  // on stderr; while the target stands still
  std::uint64_t events() const { return events_; }
  std::uint64_t choices() const { return choices_; }

 private:
  Result<TargetEnd> watch();
  Result<> look_for_stall();
  Result<TargetEnd> target_ended(const TargetEvent& event);
  Result<std::optional<TargetEnd>> target_stopped();
  Result<> follow(const AgentStatus& status);
  Error never_took_over(const TargetEvent& event) const;

  const Context& context_;
  Logger logger_;
  TargetSymbols symbols_;
  ObjectNames names_;
  std::string program_{};
  SessionRole* role_ = nullptr;
  std::optional<PassThrough> pass_through_{};
  std::optional<Launched> target_{};
  std::optional<StallWatcher> stalls_{};
  bool told_of_stall_ = false;
  std::uint64_t events_ = 0, choices_ = 0;
};

// The options that all of them begin with: the user's environment, the agent's library.
Result<LaunchOptions> launch_options(const Context& context);

}  // namespace xbdbg
