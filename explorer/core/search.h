// explorer/core/search.h — the search over the schedules of one program. explorer/explorer.h explains the algorithm.
//
// Every execution starts at the same snapshot of the program. The runner drives:
//
//   search.add_thread(0);                    // and the events of the single-threaded beginning, if any
//   search.on(create event of the second thread);
//   search.snapshot();                       // the state every execution starts from
//   while (search.begin()) {                 // back at the snapshot
//     while (!(decision = search.pick()).finished)
//       run decision.thread, telling search.on(event) each operation, until the verdict is not go_on
//     report(search.end());
//   }
//   search.result();
//
// The object itself belongs into the same memory as its arena: memory that going back to the snapshot does not undo.
// It is not thread-safe; parallel workers have one Search each and exchange branches as bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explorer/core/access_set.h"
#include "explorer/core/arena.h"
#include "explorer/core/event.h"
#include "explorer/core/frontier.h"
#include "explorer/core/options.h"
#include "explorer/core/oracle.h"
#include "explorer/core/roster.h"
#include "explorer/core/threads.h"
#include "explorer/core/tree.h"

namespace xbdbg::explore {

// What became of an execution.
struct PathEnd {
  Ending ending = Ending::ran_out;
  bool is_path = false;              // counted; aborted and driven ones are not
  bool failed = false;               // failed() was called
  std::uint64_t number = 0;          // of the path (or the one under way), from 1
  const LockCycle* cycle = nullptr;  // predicted, or (confirmed) met; valid until the next begin()
};

class Search {
 public:
  Search(Arena& arena, const Options& options);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  bool add_thread(std::uint32_t thread);  // one that lives at the snapshot and was not created by an event
  void snapshot();

  bool begin();  // false: the search is over, or (a worker) has no branch
  Decision pick();
  Reply on(const Event& event);
  // Reads and writes of the running thread since its block began; before the event that ends the block.
  void read(std::uint64_t address) {
    if (pruning_) accesses_.read(address);
  }
  void write(std::uint64_t address) {
    if (pruning_) accesses_.write(address);
  }
  void failed() { failed_ = true; }  // an assertion and the like, on the execution under way
  PathEnd end();

  Result result() const;
  void set_budget(std::uint64_t max_schedules) { options_.max_schedules = max_schedules; }

  // A part of the tree that this search gives up, as bytes (0: nothing to give, or `capacity` too small); between
  // end() and begin().
  std::size_t export_branch(std::uint8_t* to, std::size_t capacity);
  bool import_branch(const std::uint8_t* from, std::size_t bytes);  // only when begin() has returned false

 private:
  enum class Mode : std::uint8_t {
    before,  // the snapshot is not yet taken
    tree,    // follow the path to its open end, then grow it
    tail,    // the path is complete; let the rest of the threads run to see whether they can
    oracle,  // random, PCT, sweeps
    drive,   // into a predicted deadlock
  };
  enum class Phase : std::uint8_t {
    walk_first,
    sweeps,
    walk,
    sampling,
    over
  };  // of `auto`; others stay in the first
  enum class Push : bool { no, yes };

  // search.cc: executions and choices
  void start_execution();
  Decision pick_tree();
  Decision pick_oracle();
  Decision choose(std::uint32_t index);
  Decision decide(std::uint32_t thread, Wake wake);
  Decision finish(Ending ending);
  Decision leaf();
  bool open_position();
  void mark_position(Entry* entries, std::uint32_t count);
  bool is_held_back(const Entry& entry) const;
  void load_roster(const Node& node);
  bool fits(const Node& node) const;
  void count_path();
  bool end_tree_path();
  void begin_anew();
  void advance_tree();
  bool is_covered(const Node& node) const;

  // search_events.cc: what operations do
  Reply on_acquire(const Event& event);
  Reply on_blocked(const Event& event);
  Reply on_release(const Event& event);
  Reply on_wait(const Event& event);
  Reply on_signal(const Event& event);
  Reply on_broadcast(const Event& event);
  Reply on_create(const Event& event);
  Reply on_end(const Event& event);
  Reply on_yield(const Event& event);
  Reply on_exit(const Event& event);
  void end_block(std::uint32_t thread, Push push, ObjectKind kind = ObjectKind::other, std::uint64_t object = 0);
  void close_node(Push push, std::uint32_t set);
  void enable_delayed(Push push, std::uint32_t set);
  void mark_retries(Push push);
  void wake(std::uint32_t thread);
  Push quiet_end(std::uint32_t thread) const;
  void set_blocked(const Event& event);
  void note_poll(std::uint32_t thread);
  void note_repetition(Thread& thread, std::uint32_t id);
  bool splits_block(const Thread& thread, const Event& event) const;
  bool is_polled(std::uint64_t object) const;
  bool note_polled(std::uint64_t object);  // true: new, and the tree must be begun anew
  void analyse_cycle(const Event& event);
  std::uint32_t choose_waiter(std::uint64_t object, bool& diverged);
  std::uint32_t nth_waiter(std::uint64_t object, std::uint32_t n) const;
  bool open_waiters(std::uint64_t object);
  void touch(std::uint64_t object, bool is_read = false);
  Reply ended(Ending ending);
  Reply restart();

  // search_phases.cc: which execution is next
  bool prepare();
  bool prepare_auto();
  void harvest();
  void favour_conflict(Node& node, std::uint32_t index, bool& conflict);
  bool out_of_reach() const;
  void begin_sweeps();

  // search_drive.cc: predicted deadlocks
  void plan_drive();
  void begin_drive();
  Decision pick_drive();
  bool stops_here(const Event& event) const;
  void end_drive();
  bool real_cycle(LockCycle& cycle);

  bool following() const { return mode_ == Mode::tree && cursor_ < tree_.depth(); }
  bool roster_is_live() const { return mode_ != Mode::before && (mode_ != Mode::tree || cursor_ > live_from_); }
  bool walks_tree() const { return options_.strategy <= StrategyKind::exitblock_rwdd; }

  Options options_;
  Arena& arena_;
  AccessStack accesses_;
  Tree tree_;
  ThreadTable threads_;
  Roster roster_;
  Array<Entry> saved_roster_;
  Frontier frontier_;
  Array<std::uint64_t> polled_;  // objects of try operations: their acquisition ends a block
  Oracle oracle_;
  Result result_;

  bool pruning_;               // -RW
  bool detecting_;             // -DD
  bool split_nested_ = false;  // locks are not released in order: blocks end before every nested acquisition
  bool tree_ready_ = true;     // the tree has a position to go on from (when empty: the snapshot itself)
  bool restart_ = false;
  bool retry_undone_ = false;  // the block just undone was a second try (kRetry)
  bool finished_ = true;       // the execution under way is over
  bool failed_ = false;
  Mode mode_ = Mode::before;
  Phase phase_ = Phase::walk_first;
  Ending ending_ = Ending::ran_out;

  std::uint32_t cursor_ = 0;      // next node of the path
  std::uint32_t live_from_ = 0;   // the roster is kept from this node on
  std::uint32_t block_node_ = 0;  // whose block runs
  std::uint32_t previous_ = kNoThread;
  std::uint32_t preemptions_ = 0;
  std::uint32_t deviations_ = 0;
  std::uint64_t step_ = 0;
  std::uint32_t polls_ = 0;
  std::uint32_t spurious_ = 0;
  double mass_ = 1;            // of the position the execution has reached
  std::uint32_t longest_ = 0;  // steps of the longest execution, for PCT

  std::uint32_t harvest_from_ = 0;
  std::uint32_t sweep_ = 0;
  std::uint32_t sweeps_ = 0;
  struct Step {
    std::uint32_t thread;
    Wake wake;
    NodeKind kind;
  };
  Array<Step> path_;  // scratch: the walked path's choices; the script of a drive
  Array<std::uint64_t> path_touched_;

  LockCycle cycle_;
  bool cycle_found_ = false;
  bool drive_planned_ = false;
  LockCycle driven_;
  std::uint32_t drive_at_ = 0;
  Array<Step> script_;
  struct Driven {
    std::uint64_t key;
    std::uint64_t found;  // how often; kConfirmed: it was driven into
  };
  static constexpr std::uint64_t kConfirmed = ~std::uint64_t{0};
  Array<Driven> driven_keys_;
};

}  // namespace xbdbg::explore
