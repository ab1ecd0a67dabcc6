// tracer/target_process.h — a launched target as xbdbg sees it: what happens to it, and an end to it.
//
// The target is a grandchild; between it and us stands the guard (guard.h), which reports on it. When this object
// goes, so do the target and everything it has started. It reads no memory and knows no ptrace.
//
//   XB_TRY(TargetEvent event, process.wait_event(std::chrono::milliseconds(10)));
//   std::visit(Overloaded{[&](const TargetExited& e) {...}, ...}, event);
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <variant>

#include "tracer/base/ids.h"
#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"
#include "tracer/guard.h"

namespace xbdbg {

struct TargetExited {
  int code = 0;
  friend bool operator==(const TargetExited&, const TargetExited&) = default;
};
struct TargetSignaled {
  int signal = 0;
  bool core_dumped = false;
  friend bool operator==(const TargetSignaled&, const TargetSignaled&) = default;
};
struct TargetStopped {
  int signal = 0;
  friend bool operator==(const TargetStopped&, const TargetStopped&) = default;
};
struct TargetContinued {
  friend bool operator==(const TargetContinued&, const TargetContinued&) = default;
};
struct WaitTimeout {
  friend bool operator==(const WaitTimeout&, const WaitTimeout&) = default;
};

using TargetEvent = std::variant<TargetExited, TargetSignaled, TargetStopped, TargetContinued, WaitTimeout>;

Result<TargetEvent> decode_wait_status(int status);

class TargetProcess {
 public:
  // Forks the guard and, below it, the target, which waits for the launcher's go (target_start.h). `start`'s
  // descriptors stay open in this process.
  static Result<TargetProcess> fork_guarded(const TargetStart& start);

  TargetProcess(TargetProcess&& other) noexcept;
  TargetProcess& operator=(TargetProcess&& other) noexcept;
  TargetProcess(const TargetProcess&) = delete;
  TargetProcess& operator=(const TargetProcess&) = delete;
  ~TargetProcess();

  Pid pid() const { return pid_; }
  // Readable when wait_event would not wait, for a poll loop of the caller's. -1 after the guard has gone.
  int event_fd() const { return control_.get(); }
  bool ended() const { return ended_; }  // TargetExited or TargetSignaled was returned

  // The kernel keeps only the latest news: TargetContinued is missed when the end follows at once.
  // The next thing that happened; nullopt waits without limit. Signals that the caller handles make it return
  // WaitTimeout early. After the end, and when the guard was killed, an error (Errc::target_gone).
  Result<TargetEvent> wait_event(std::optional<std::chrono::milliseconds> timeout);

  Result<> send_signal(int signal);  // to the target's process, whoever has its number now

  // SIGKILLs the target and its descendants and returns when they are gone. Events that came before, and the
  // target's end, can still be fetched with wait_event.
  void kill_all();

 private:
  TargetProcess(Pid guard, UniqueFd control) : guard_(guard), control_(std::move(control)) {}
  Result<> receive_pid();
  std::optional<GuardMessage> receive();  // nothing: the guard has hung up
  void reap_tracee();
  void release_guard();
  void kill_orphans();

  Pid guard_{-1};
  UniqueFd control_;
  Pid pid_{-1};
  UniqueFd pidfd_{};
  std::deque<int> statuses_{};  // fetched by kill_all, not yet returned
  bool ended_ = false;
};

}  // namespace xbdbg
