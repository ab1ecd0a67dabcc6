// tracer/stall_watcher.h — notices that a target makes no event any more, and gives its other threads a turn.
//
// All threads of a target share one kernel thread, and change places only in calls that the agent sees. A thread that
// spins until another one changes a variable would keep it for ever. The owner of the target calls `tick` every so
// often; while events come that costs a glance at shared memory. When none has come for a while although the target
// computes, it is stopped and stepped (spin_probe.h): a loop that waits for memory is handed to the agent, which lets
// the thread wait for that memory (tracer/agent/preempt.h). A computation is left alone, until it has taken so long,
// with other threads waiting for a turn, that they get one anyway.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracer/arena.h"
#include "tracer/base/ids.h"
#include "tracer/base/log.h"
#include "tracer/base/result.h"
#include "tracer/spin_probe.h"

namespace xbdbg {

struct StallLimits {
  std::chrono::milliseconds stall{100};      // without an event, until the first look
  std::chrono::milliseconds known_stall{5};  // the same, once a loop was found
  std::chrono::milliseconds forced{2000};    // of processor time without an event, until others get a turn anyway
};

// A thread was interrupted in something that is no spin loop: the execution depends on when that was.
struct ForcedTurn {
  ThreadIndex thread{};
  Addr pc{};
};

class StallWatcher {
 public:
  static Result<StallWatcher> create(Pid pid, SharedArena& arena, const Logger* log, StallLimits limits = {});

  // Never waits for the target longer than a few hundred milliseconds. A target that has ended is no error.
  Result<std::optional<ForcedTurn>> tick();
  std::chrono::milliseconds interval() const;  // until the next tick should come

 private:
  using Clock = std::chrono::steady_clock;
  struct Activity {
    char state = '?';
    std::chrono::milliseconds processor_time{0};
  };

  StallWatcher(Pid pid, SharedArena& arena, const Logger* log, StallLimits limits, Disassembler disassembler);
  std::optional<Activity> activity() const;
  void begin_anew(std::uint64_t events);
  Result<> look(bool only_at_known_loops);
  Result<std::optional<ForcedTurn>> force();
  bool is_known(Addr pc) const;
  bool others_want_a_turn() const;
  bool reads_shared_memory(const SpinLoop& loop) const;
  void hand_over(const SpinLoop& loop);
  void request(agent::PreemptRequest kind);

  Pid pid_;
  SharedArena* arena_;
  const Logger* log_;
  StallLimits limits_;
  SpinProbe probe_;
  struct Range {
    Addr low, high;
  };
  std::vector<Range> known_{};  // loops found so far

  std::uint64_t events_ = 0;  // at the last tick
  Clock::time_point since_{};
  std::optional<std::chrono::milliseconds> processor_time_{};  // when the stall was first noticed
  bool looked_at_known_ = false;
  unsigned looks_ = 0;  // in this stall
};

}  // namespace xbdbg
