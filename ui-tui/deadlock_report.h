// ui-tui/deadlock_report.h — who waits for what when no thread can run.
//
// describe_deadlock makes the report, a value, from the agent's view of the threads; format_deadlock makes text of
// it:
//
//   xbdbg: deadlock: no thread can run
//     T1 (worker) waits in pthread_mutex_lock for mutex `lock_b` held by T2
//         at transfer (bank.c:23)
//            worker (bank.c:31)
//         holds mutex `lock_a`, locked at transfer (bank.c:21)
//     ...
//     circle: T1 -> T2 -> T1
//
// A thread may also wait without a call, in a loop that reads memory ("T1 spins until `go` changes"); the first line
// is then "xbdbg: no progress: ...".
//
// Neither does I/O: what needs the target (names, places, stacks) comes through TargetNames.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tracer/agent/protocol.h"
#include "tracer/base/ids.h"
#include "ui-tui/event_json.h"
#include "ui-tui/operations.h"
#include "ui-tui/style.h"

namespace xbdbg {

// What the report needs to know about the stopped target.
class TargetNames {
 public:
  virtual ~TargetNames() = default;
  virtual std::string object(ObjectKind kind, Addr address) = 0;  // "lock_a", "0x55.."
  virtual SourceSite site(Addr return_address) = 0;
  virtual std::vector<SourceSite> backtrace(const agent::ThreadView& thread) = 0;  // innermost first
};

struct HeldLine {
  std::string object{};  // "mutex `lock_a`"
  std::string verb{};    // "locked", "locked for reading"
  SourceSite at{};
};

struct WaitLine {
  std::string thread{};  // "T1 (worker)"
  std::string call{};    // "pthread_mutex_lock"
  bool spins = false;    // no call: a loop that waits for `object` to change
  std::string object{};  // "mutex `lock_b`", "T2", or empty
  std::string why{};     // "held by T2", "which nobody is left to signal", or empty
  std::vector<SourceSite> backtrace{};
  std::vector<HeldLine> holds{};
  std::uint32_t held_but_not_listed = 0;
};

struct DeadlockReport {
  std::vector<WaitLine> threads{};    // in order of birth
  std::vector<std::string> circle{};  // T1, T2, T1: each waits for the next; empty when there is none
};

DeadlockReport describe_deadlock(std::span<const agent::ThreadView> threads, TargetNames& names);
std::string format_deadlock(const DeadlockReport& report, const Style& style);

std::string thread_label(const agent::ThreadView& thread);  // "T1", "T1 (worker)"
std::string format_site(const SourceSite& site);            // "transfer (bank.c:23)", "?? (bank)"

}  // namespace xbdbg
