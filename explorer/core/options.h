// explorer/core/options.h — what a search is asked to do, and what it can say when it ends.
#pragma once

#include <cstdint>

#include "explorer/core/event.h"

namespace xbdbg::explore {

enum class StrategyKind : std::uint8_t {
  automatic,
  exitblock,
  exitblock_dd,
  exitblock_rw,
  exitblock_rwdd,
  random,
  pct
};

// Which synchronisation counts as an access under -RW. The thesis counts none: then assertion failures are all found,
// but a deadlock may be pruned away. With `all` the pruned tree holds every deadlock the full tree holds.
enum class SyncConflicts : std::uint8_t { none, all };

// What -RW does at the end of a pruned path, where delayed threads are left.
enum class RunOn : std::uint8_t {
  never,
  suspected,  // run them on when other threads wait or are blocked: only then a deadlock is possible
  always,
};

inline constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};

struct Options {
  StrategyKind strategy = StrategyKind::automatic;
  std::uint64_t seed = 1;
  std::uint64_t max_schedules = 0;         // executions, aborted ones included; 0: no limit
  std::uint32_t preemptions = kUnlimited;  // at most so many in one path
  std::uint32_t pct_depth = 3;             // PCT finds bugs of this depth with a known probability
  std::uint32_t max_expiries = 2;          // timed waits of one thread that expire though others could run, per path
  std::uint32_t max_spurious = 0;          // spurious wake-ups in one path
  std::uint32_t free_polls = 2;            // polls of a thread before those it starves go first
  std::uint32_t max_polls = 10'000;        // polls in one path, then it ends as no_progress
  std::uint32_t max_blocks = 1'000'000;    // blocks in one path, then likewise
  SyncConflicts sync_conflicts = SyncConflicts::none;
  RunOn run_on = RunOn::suspected;
  bool ends_end_blocks = true;  // the end of a thread (main excepted) ends a block, as join needs
  bool drive_deadlocks = true;  // run a predicted lock cycle as a schedule of its own, once per kind of cycle
  bool start_empty = false;     // a worker: owns no branch until it imports one
};

// Bits of Result::bounds: what kept the search from covering more. 0 and `complete`: everything was covered.
enum Bound : std::uint32_t {
  kBoundPreemptions = 1,   // paths with more preemptions exist
  kBoundSchedules = 2,     // max_schedules was reached
  kBoundMemory = 4,        // the arena is full
  kBoundTimeouts = 8,      // timed waits could have expired more often
  kBoundSpurious = 16,     // there could have been more spurious wake-ups
  kBoundFairness = 32,     // a polling thread was held back until others had run
  kBoundLength = 64,       // a path was cut by max_polls or max_blocks
  kBoundDivergence = 128,  // the program is not deterministic under the same choices; branches were dropped
  kBoundPruning = 256,     // -RW without sync conflicts: deadlocks are not guaranteed to be found
  kBoundSampling = 512,    // random and PCT (also as auto's last phase): a sample, not an enumeration
};

struct Result {
  std::uint64_t executions = 0;     // everything that was run
  std::uint64_t paths = 0;          // complete paths of the tree (random, PCT: schedules)
  std::uint64_t aborted = 0;        // blocks undone because a lock was not available
  std::uint64_t retried = 0;        // second tries of a blocked thread that was blocked again; not in `aborted`
  std::uint64_t probes = 0;         // auto: sweeps and PCT schedules, which are not counted as paths
  std::uint64_t drives = 0;         // schedules that drive a predicted deadlock
  std::uint64_t failing = 0;        // paths on which failed() was called
  std::uint64_t first_failing = 0;  // number of the first of them, from 1; 0: none
  std::uint64_t deadlocks = 0;      // paths that ended in one
  std::uint64_t first_deadlock = 0;
  std::uint64_t lock_cycles = 0;       // found by reverse lock chain analysis, repetitions included
  std::uint64_t first_lock_cycle = 0;  // the path under way when the first was found
  std::uint64_t drives_confirmed = 0;
  std::uint64_t restarts = 0;  // the tree was begun anew with finer blocks (try operations, unnested locks)
  std::uint64_t diverged = 0;
  std::uint32_t max_depth = 0;            // choices in the longest path
  std::uint32_t preemptions_covered = 0;  // auto: every path with fewer preemptions than this was run
  std::uint32_t bounds = 0;               // Bound bits
  bool complete = false;                  // the tree, as bounded by `bounds`, was walked to its end
  double share = 0;                       // estimated share of the tree that was walked, 0 .. 1
};

}  // namespace xbdbg::explore
