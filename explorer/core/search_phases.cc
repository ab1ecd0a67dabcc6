// Which execution is next; the phases of `auto`; branches that come and go as bytes.
//
// `auto` walks the ExitBlock-DD tree best first: every execution follows a branch to its position and then the
// default order to the end, and what it passed by goes into the frontier. After the very first path a few sweeps look
// for what an enumeration reaches late in programs of many threads. When the tree will not fit the budget, the second
// half of the budget goes to PCT.
#include "explorer/core/branch.h"
#include "explorer/core/search.h"

namespace xbdbg::explore {

namespace {
constexpr std::uint32_t kMaxGaps = 8;         // sweeps look at so many gaps between blocks
constexpr std::uint32_t kMaxHarvest = 2048;   // positions of one path whose branches are kept
constexpr std::uint32_t kConflictReach = 64;  // blocks ahead in which a conflict is looked for
constexpr std::uint32_t kFewestSteps = 16;    // PCT before anything has run
}  // namespace

bool Search::prepare() {
  if (drive_planned_) {
    begin_drive();
    return true;
  }
  switch (options_.strategy) {
    case StrategyKind::automatic:
      return prepare_auto();
    case StrategyKind::exitblock:
    case StrategyKind::exitblock_dd:
    case StrategyKind::exitblock_rw:
    case StrategyKind::exitblock_rwdd:
      mode_ = Mode::tree;
      return tree_ready_;
    case StrategyKind::random:
      oracle_.begin_random(options_.seed, result_.executions);
      break;
    case StrategyKind::pct:
      oracle_.begin_pct(options_.seed, result_.executions, options_.pct_depth,
                        longest_ > kFewestSteps ? longest_ : kFewestSteps);
      break;
  }
  mode_ = Mode::oracle;
  return true;
}

bool Search::prepare_auto() {
  mode_ = Mode::tree;
  if (tree_ready_ && (result_.bounds & kBoundMemory) == 0) return true;
  if (phase_ == Phase::walk_first) begin_sweeps();
  if (phase_ == Phase::sweeps && sweep_ < sweeps_) {
    mode_ = Mode::oracle;
    oracle_.begin_sweep(1 + sweep_ / 2, sweep_ % 2 == 1);
    ++sweep_;
    return true;
  }
  if (phase_ == Phase::sweeps) phase_ = Phase::walk;
  if (phase_ == Phase::walk && (out_of_reach() || (result_.bounds & kBoundMemory) != 0)) phase_ = Phase::sampling;
  if (phase_ == Phase::walk) {
    const Frontier::Taken branch = frontier_.pop();
    tree_ready_ = branch.bytes != nullptr && read_branch(tree_, accesses_, branch.bytes, branch.size);
    if (!tree_ready_) phase_ = Phase::over;
    harvest_from_ = tree_ready_ ? tree_.depth() - 1 : 0;
    return tree_ready_;
  }
  if (phase_ == Phase::over) return false;
  mode_ = Mode::oracle;
  oracle_.begin_pct(options_.seed, result_.executions, options_.pct_depth,
                    longest_ > kFewestSteps ? longest_ : kFewestSteps);
  return true;
}

// The threads of the first path are still in the table: the longest of them says how many gaps there are.
void Search::begin_sweeps() {
  std::uint32_t longest = 0;
  std::uint32_t others = 0;
  for (std::uint32_t i = 1; i < threads_.size(); ++i) {
    ++others;
    if (threads_[i].runs > longest) longest = threads_[i].runs;
  }
  const std::uint32_t gaps = others < 2 || longest == 0 ? 0 : longest - 1;
  sweeps_ = 2 * (gaps < kMaxGaps ? gaps : kMaxGaps);
  sweep_ = 0;
  phase_ = options_.start_empty ? Phase::walk : Phase::sweeps;
}

bool Search::out_of_reach() const {
  if (options_.max_schedules == 0 || result_.executions < options_.max_schedules / 2) return false;
  const double whole = result_.share > 0 ? static_cast<double>(result_.paths) / result_.share : 1e300;
  return whole > static_cast<double>(options_.max_schedules);
}

// Every position of the path just walked that has something left to try becomes a branch.
void Search::harvest() {
  path_.clear();
  path_touched_.clear();
  for (std::uint32_t i = 0; i < tree_.depth(); ++i) {
    if (!path_.push(Step{tree_[i].chosen, tree_[i].wake, tree_[i].kind}) || !path_touched_.push(tree_[i].touched))
      return;
  }
  for (std::uint32_t i = harvest_from_; i < tree_.depth(); ++i) {
    if (i - harvest_from_ >= kMaxHarvest) {
      result_.bounds |= kBoundLength;
      break;
    }
    if (!tree_.delay_chosen(i)) continue;
    Node& node = tree_[i];
    bool conflict = false;
    favour_conflict(node, i, conflict);
    const Entry& next = tree_.entries(node)[tree_.first_candidate(node)];
    const std::size_t bytes = branch_bytes(tree_, accesses_, i);
    std::uint8_t* room = frontier_.push(node.preemptions + (tree_.preempts(node, next.thread) ? 1u : 0u),
                                        node.deviations + 1u, conflict, bytes);
    if (room == nullptr) {
      result_.bounds |= kBoundMemory;
      return;
    }
    (void)write_branch(tree_, accesses_, i, room, bytes);
  }
}

// Of the threads left to be tried from a position, first the one whose next block came soonest after and used the
// same object: exchanging the two is the likeliest to change anything.
void Search::favour_conflict(Node& node, std::uint32_t index, bool& conflict) {
  const std::uint32_t end = index + kConflictReach < path_.size() ? index + kConflictReach : path_.size();
  Entry* entries = tree_.entries(node);
  const std::uint32_t first = tree_.first_candidate(node);
  for (std::uint32_t later = index + 1; later < end; ++later) {
    if ((path_touched_[later] & path_touched_[index]) == 0 || path_[later].thread == path_[index].thread) continue;
    for (std::uint32_t i = first; i < node.count; ++i) {
      if (entries[i].thread != path_[later].thread || entries[i].standing != Standing::enabled) continue;
      if (entries[i].is(kDelayed) || entries[i].is(kHeldBack)) continue;
      const Entry favoured = entries[i];
      for (std::uint32_t j = i; j > first; --j) entries[j] = entries[j - 1];
      entries[first] = favoured;
      conflict = true;
      return;
    }
  }
}

std::size_t Search::export_branch(std::uint8_t* to, std::size_t capacity) {
  if (options_.strategy == StrategyKind::automatic) {
    const Frontier::Taken branch = frontier_.size() > 1 ? frontier_.pop() : Frontier::Taken{};
    if (branch.bytes == nullptr) return 0;
    if (branch.size <= capacity) {
      std::memcpy(to, branch.bytes, branch.size);
      return branch.size;
    }
    if (std::uint8_t* room = frontier_.push(0, 0, true, branch.size)) std::memcpy(room, branch.bytes, branch.size);
    return 0;
  }
  // The position nearest to the root has the largest subtree beside it. The open end of the path stays ours.
  for (std::uint32_t i = 0; i + 1 < tree_.depth(); ++i) {
    Node& node = tree_[i];
    if (node.exhausted || node.kind != NodeKind::thread || tree_[i + 1].kind != NodeKind::thread) continue;
    const Node kept = node;
    const bool left = tree_.delay_chosen(i);
    const std::size_t bytes = left ? write_branch(tree_, accesses_, i, to, capacity) : 0;
    node.set = kept.set;
    node.sets = kept.sets;
    node.open = false;
    if (left && bytes == 0) continue;
    node.exhausted = true;
    if (bytes != 0) return bytes;
  }
  return 0;
}

bool Search::import_branch(const std::uint8_t* from, std::size_t bytes) {
  if (options_.strategy == StrategyKind::automatic) {
    std::uint8_t* room = frontier_.push(0, 0, true, bytes);
    if (room == nullptr) return false;
    std::memcpy(room, from, bytes);
    if (phase_ == Phase::over || phase_ == Phase::walk_first) phase_ = Phase::walk;
    return true;
  }
  if (tree_ready_) return false;
  tree_ready_ = read_branch(tree_, accesses_, from, bytes);
  return tree_ready_;
}

}  // namespace xbdbg::explore
