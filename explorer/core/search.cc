// Executions from begin() to end(), and the choice of the next thread.
#include "explorer/core/search.h"

namespace xbdbg::explore {

namespace {

bool is_pruning(StrategyKind kind) {
  return kind == StrategyKind::exitblock_rw || kind == StrategyKind::exitblock_rwdd;
}

bool is_detecting(StrategyKind kind) {
  return kind == StrategyKind::exitblock_dd || kind == StrategyKind::exitblock_rwdd ||
         kind == StrategyKind::automatic;
}

}  // namespace

Search::Search(Arena& arena, const Options& options)
    : options_(options),
      arena_(arena),
      accesses_(arena),
      tree_(arena, accesses_, options.preemptions),
      threads_(arena),
      roster_(arena),
      saved_roster_(arena),
      frontier_(arena),
      polled_(arena),
      pruning_(is_pruning(options.strategy)),
      detecting_(is_detecting(options.strategy)),
      tree_ready_(!options.start_empty),
      path_(arena),
      path_touched_(arena),
      script_(arena),
      driven_keys_(arena) {}

bool Search::add_thread(std::uint32_t thread) { return threads_.add(thread) && roster_.append(thread); }

void Search::snapshot() {
  threads_.save();
  saved_roster_.assign(roster_.begin(), roster_.size());
}

bool Search::begin() {
  if (arena_.exhausted()) result_.bounds |= kBoundMemory;
  if ((result_.bounds & kBoundMemory) != 0 && options_.strategy != StrategyKind::automatic) return false;
  if (options_.max_schedules != 0 && result_.executions >= options_.max_schedules) {
    result_.bounds |= kBoundSchedules;
    return false;
  }
  if (!prepare()) return false;
  start_execution();
  return true;
}

void Search::start_execution() {
  ++result_.executions;
  threads_.restore();
  roster_.assign(saved_roster_.begin(), saved_roster_.size());
  accesses_.forget();
  cursor_ = 0;
  live_from_ = tree_.depth() == 0 ? 0 : tree_.depth() - 1;
  while (mode_ == Mode::tree && live_from_ != 0 && tree_[live_from_].kind == NodeKind::waiter) --live_from_;
  previous_ = kNoThread;
  preemptions_ = 0;
  deviations_ = 0;
  step_ = 0;
  polls_ = 0;
  spurious_ = 0;
  mass_ = 1;
  finished_ = false;
  failed_ = false;
  retry_undone_ = false;
  cycle_found_ = false;
  ending_ = Ending::ran_out;
}

Decision Search::pick() {
  if (finished_) return finish(ending_);
  if (++step_ > options_.max_blocks || polls_ > options_.max_polls) {
    result_.bounds |= kBoundLength;
    return finish(Ending::no_progress);
  }
  switch (mode_) {
    case Mode::tree:
      return pick_tree();
    case Mode::drive:
      return pick_drive();
    case Mode::before:
    case Mode::tail:
    case Mode::oracle:
      break;
  }
  return pick_oracle();
}

Decision Search::finish(Ending ending) {
  finished_ = true;
  ending_ = ending;
  Decision none;
  none.finished = true;
  return none;
}

// `thread` runs next, in whatever mode.
Decision Search::decide(std::uint32_t thread, Wake how) {
  if (how != Wake::normal) {
    threads_.wake(thread);
    if (how == Wake::timeout) ++threads_[thread].expiries;
    if (how == Wake::spurious) ++spurious_;
  }
  std::uint32_t runnable = 0;
  if (roster_is_live()) {
    for (Entry& entry : roster_) {
      if (entry.thread == thread && how != Wake::normal) {
        entry.standing = Standing::enabled;
        entry.flags = 0;
      }
      runnable += entry.standing == Standing::enabled || !entry.is(kReally) || entry.is(kMayExpire) ? 1 : 0;
    }
  }
  threads_.begin_block(thread, step_);
  accesses_.forget();  // those of followed blocks were never sealed
  previous_ = thread;
  Decision decision;
  decision.thread = thread;
  decision.wake = how;
  decision.alternatives = static_cast<std::uint16_t>(runnable < 65535 ? runnable : 65535);
  return decision;
}

Decision Search::pick_tree() {
  if (cursor_ == tree_.depth() && !open_position()) return finish(Ending::ran_out);
  Node& node = tree_[cursor_];
  if (node.kind != NodeKind::thread) return finish(Ending::diverged);
  if (cursor_ == live_from_ && tree_[cursor_].count != 0) load_roster(node);
  if (node.open) return choose(cursor_);
  if (!fits(node)) return finish(Ending::diverged);
  block_node_ = cursor_++;
  return decide(node.chosen, node.wake);
}

// Can the thread that the followed path names run now?
bool Search::fits(const Node& node) const {
  if (node.chosen >= threads_.size()) return false;
  const Thread& thread = threads_[node.chosen];
  return thread.exists && !thread.ended && (node.wake != Wake::normal || !thread.waits);
}

void Search::load_roster(const Node& node) {
  roster_.assign(tree_.entries(node), node.count);
  for (Entry& entry : roster_) entry.flags = static_cast<std::uint8_t>(entry.flags & ~kHere);
}

// The position that the execution has reached becomes a node of its own.
bool Search::open_position() {
  Node shape{};
  shape.mass = mass_;
  shape.previous = previous_;
  shape.preemptions = static_cast<std::uint16_t>(preemptions_ < 65535 ? preemptions_ : 65535);
  shape.deviations = static_cast<std::uint16_t>(deviations_ < 65535 ? deviations_ : 65535);
  shape.kind = NodeKind::thread;
  if (!tree_.open(shape, roster_.begin(), roster_.size())) return false;
  mark_position(tree_.entries(tree_.top()), tree_.top().count);
  if (tree_.depth() > result_.max_depth) result_.max_depth = tree_.depth();
  return true;
}

bool Search::is_held_back(const Entry& entry) const {
  const std::uint64_t before = threads_[entry.thread].held_back;
  if (before == 0 || entry.standing != Standing::enabled) return false;
  for (const Entry& other : roster_) {
    if (other.standing == Standing::enabled && other.thread != entry.thread &&
        threads_[other.thread].last_run < before) {
      return true;
    }
  }
  return false;
}

// What holds at this position only: who polls and must wait for others, whose time limits count, who may wake for
// nothing.
void Search::mark_position(Entry* entries, std::uint32_t count) {
  bool any_enabled = false;
  bool any_free = false;
  bool any_delayed = false;
  for (Entry* entry = entries; entry != entries + count; ++entry) {
    any_delayed = any_delayed || entry->is(kDelayed);
    if (entry->standing != Standing::enabled || entry->is(kDelayed)) continue;
    any_enabled = true;
    if (is_held_back(*entry)) {
      entry->flags |= kHeldBack;
    } else {
      any_free = true;
    }
  }
  for (Entry* entry = entries; entry != entries + count; ++entry) {
    // All that is left polls: let it. Unless it polls for a delayed thread, which goes first in another branch.
    if (any_enabled && !any_free && !any_delayed) entry->flags = static_cast<std::uint8_t>(entry->flags & ~kHeldBack);
    if (entry->is(kHeldBack)) result_.bounds |= kBoundFairness;
    if (entry->is(kMayExpire) && any_enabled && threads_[entry->thread].expiries >= options_.max_expiries) {
      entry->flags |= kNoExpiry;
      result_.bounds |= kBoundTimeouts;
    }
    if (entry->standing == Standing::waiting && !entry->is(kMayExpire) && options_.max_spurious != 0) {
      if (spurious_ < options_.max_spurious) entry->flags |= kMayWake;
      if (spurious_ >= options_.max_spurious) result_.bounds |= kBoundSpurious;
    }
  }
}

Decision Search::choose(std::uint32_t index) {
  Node& node = tree_[index];
  const std::uint32_t at = tree_.first_candidate(node);
  if (at == Tree::kNoEntry) {
    node.exhausted = true;
    cursor_ = index + 1;
    mass_ = node.mass;
    return leaf();
  }
  const Entry& entry = tree_.entries(node)[at];
  node.chosen = entry.thread;
  node.wake = Wake::normal;
  if (entry.is(kRetry)) {
    roster_[at].standing = Standing::enabled;
    roster_[at].flags = 0;
  } else if (entry.standing != Standing::enabled) {
    node.wake = entry.is(kMayExpire) ? Wake::timeout : Wake::spurious;
  }
  node.open = false;
  node.touched = 0;
  preemptions_ = node.preemptions + (tree_.preempts(node, entry.thread) ? 1u : 0u);
  deviations_ = node.deviations + (node.retried ? 1u : 0u);
  block_node_ = index;
  cursor_ = index + 1;
  mass_ = node.mass;
  for (std::uint32_t i = 0; i < at; ++i) {  // the thread that runs goes on first
    if (roster_[i].standing != Standing::enabled || roster_[i].is(kDelayed)) continue;
    roster_.move_to(at, i);
    break;
  }
  return decide(node.chosen, node.wake);
}

// Nobody is left to be tried. Threads that are only known to block, and (-RW) threads that were delayed, may have to
// run on to show whether this is a deadlock.
Decision Search::leaf() {
  bool delayed = false;
  bool stuck = false;
  bool known_only = false;
  for (const Entry& entry : roster_) {
    delayed = delayed || entry.is(kDelayed);
    stuck = stuck || entry.standing != Standing::enabled;
    known_only = known_only || (entry.standing == Standing::blocked && !entry.is(kReally)) || entry.is(kWakesInVain);
  }
  const bool run_on =
      pruning_ && delayed && (options_.run_on == RunOn::always || (options_.run_on == RunOn::suspected && stuck));
  if (delayed && !run_on) return finish(Ending::ran_out);
  if (!stuck && !run_on) return finish(Ending::ran_out);
  if (stuck && !known_only && !run_on) return finish(Ending::deadlock);
  for (Entry& entry : roster_) {
    const bool known = entry.standing == Standing::blocked && !entry.is(kReally);
    if (known) entry.standing = Standing::enabled;
    entry.flags = static_cast<std::uint8_t>(entry.flags & ~(kDelayed | kHere | kWakesInVain | kRetry));
  }
  mode_ = Mode::tail;
  oracle_.begin_first();
  return pick_oracle();
}

Decision Search::pick_oracle() {
  for (Entry& entry : roster_) entry.flags = static_cast<std::uint8_t>(entry.flags & ~kHere);
  mark_position(roster_.begin(), roster_.size());
  const std::uint32_t left = options_.preemptions == kUnlimited     ? kUnlimited
                             : preemptions_ >= options_.preemptions ? 0
                                                                    : options_.preemptions - preemptions_;
  const std::uint32_t at = oracle_.choose(roster_, threads_, step_, previous_, left);
  if (at == Oracle::kNone) {
    for (const Entry& entry : roster_) {
      if (entry.standing != Standing::enabled) return finish(Ending::deadlock);
    }
    return finish(Ending::ran_out);
  }
  const Entry& entry = roster_[at];
  for (const Entry& other : roster_) {
    if (other.thread == previous_ && other.thread != entry.thread && other.standing == Standing::enabled)
      ++preemptions_;
  }
  return decide(entry.thread, entry.standing == Standing::enabled ? Wake::normal : Wake::timeout);
}

// A position whose remaining threads were all tried, and where a deadlock is out of the question.
bool Search::is_covered(const Node& node) const {
  if (pruning_ && options_.run_on != RunOn::never) return false;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (tree_.entries(node)[i].is(kDelayed)) return true;
  }
  return false;
}

void Search::count_path() {
  ++result_.paths;
  if (ending_ == Ending::deadlock) {
    ++result_.deadlocks;
    if (result_.first_deadlock == 0) result_.first_deadlock = result_.paths;
  }
  if (failed_) {
    ++result_.failing;
    if (result_.first_failing == 0) result_.first_failing = result_.paths;
  }
}

PathEnd Search::end() {
  if (!finished_ && step_ == 0) (void)finish(Ending::ran_out);
  if (!finished_) (void)on_exit(Event{EventKind::exit, ObjectKind::other, 0, previous_, 0, 0, 0});
  PathEnd report;
  report.ending = ending_;
  report.failed = failed_;
  report.number = result_.paths + 1;
  if (step_ > longest_) longest_ = static_cast<std::uint32_t>(step_ < 1'000'000 ? step_ : 1'000'000);
  if (ending_ == Ending::deadlock && !cycle_found_) cycle_found_ = real_cycle(cycle_);
  if (cycle_found_) report.cycle = &cycle_;
  if (restart_) {
    begin_anew();
  } else if (mode_ == Mode::drive) {
    end_drive();
    report.cycle = driven_.confirmed ? &driven_ : nullptr;
  } else if (mode_ == Mode::oracle) {
    report.is_path = !walks_tree();
    if (report.is_path) {
      count_path();
    } else {
      ++result_.probes;
    }
  } else {
    report.is_path = end_tree_path();
  }
  return report;
}

// True: the execution was a path.
bool Search::end_tree_path() {
  if (ending_ == Ending::aborted) {
    // With nobody left to try there the position is a path already; it need not be run to know that. A thread that
    // was only tried once more makes no path of a position whose threads were all tried.
    if (tree_.first_candidate(tree_.top()) == Tree::kNoEntry && is_covered(tree_.top())) {
      if (!retry_undone_) ++result_.paths;
      result_.share += tree_.top().mass;
      tree_.top().exhausted = true;
      advance_tree();
    }
    return false;
  }
  if (ending_ == Ending::diverged) {
    ++result_.diverged;
    result_.bounds |= kBoundDivergence;
    if (tree_.depth() != 0) tree_.top().exhausted = true;
    advance_tree();
    return false;
  }
  count_path();
  result_.share += mass_;
  advance_tree();
  return true;
}

void Search::begin_anew() {
  const Result old = result_;
  restart_ = false;
  result_ = Result{};
  result_.executions = old.executions;
  result_.probes = old.probes;
  result_.drives = old.drives;
  result_.drives_confirmed = old.drives_confirmed;
  result_.restarts = old.restarts + 1;
  tree_.clear();
  frontier_.clear();
  tree_ready_ = true;
  harvest_from_ = 0;
  phase_ = Phase::walk_first;
}

void Search::advance_tree() {
  if (options_.strategy == StrategyKind::automatic) {
    harvest();
    tree_ready_ = false;
  } else {
    tree_ready_ = tree_.backtrack();
  }
}

Result Search::result() const {
  Result result = result_;
  if (tree_.bound_hit() && walks_tree()) result.bounds |= kBoundPreemptions;
  if (pruning_ && options_.sync_conflicts == SyncConflicts::none) result.bounds |= kBoundPruning;
  if (!walks_tree() || phase_ == Phase::sampling) result.bounds |= kBoundSampling;
  if (arena_.exhausted()) result.bounds |= kBoundMemory;
  result.preemptions_covered = frontier_.empty() ? 0 : frontier_.lowest_level();
  const bool phases_over = options_.strategy != StrategyKind::automatic || phase_ == Phase::over;
  result.complete = walks_tree() && !tree_ready_ && frontier_.empty() && phases_over &&
                    (result.bounds & (kBoundMemory | kBoundSampling)) == 0 && result.executions != 0;
  if (result.complete) {
    result.share = 1;
    result.preemptions_covered = options_.preemptions;
  }
  return result;
}

}  // namespace xbdbg::explore
