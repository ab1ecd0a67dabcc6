#include "explorer/core/oracle.h"

namespace xbdbg::explore {

namespace {

bool runs(const Entry& entry) {
  return entry.standing == Standing::enabled && !entry.is(kDelayed) && !entry.is(kHeldBack);
}

// The n-th entry that `able` accepts.
template <class Able>
std::uint32_t nth(Roster& roster, std::uint32_t n, Able able) {
  for (std::uint32_t i = 0; i < roster.size(); ++i) {
    if (able(roster[i]) && n-- == 0) return i;
  }
  return Oracle::kNone;
}

template <class Able>
std::uint32_t count(Roster& roster, Able able) {
  std::uint32_t sum = 0;
  for (const Entry& entry : roster) sum += able(entry) ? 1 : 0;
  return sum;
}

bool expires(const Entry& entry) { return entry.standing != Standing::enabled && entry.is(kMayExpire); }

}  // namespace

void Oracle::begin_random(std::uint64_t seed, std::uint64_t execution) {
  kind_ = OracleKind::random;
  random_ = Random(seed * 0x9e37'79b9'7f4a'7c15 + execution);
}

void Oracle::begin_pct(std::uint64_t seed, std::uint64_t execution, std::uint32_t depth, std::uint32_t steps) {
  begin_random(seed, execution);
  kind_ = OracleKind::pct;
  depth_ = depth < kMaxDepth ? depth : kMaxDepth;
  for (std::uint32_t i = 0; i + 1 < depth_; ++i) change_[i] = 1 + random_.below(steps == 0 ? 1 : steps);
}

void Oracle::begin_sweep(std::uint32_t gap, bool backwards) {
  kind_ = OracleKind::sweep;
  random_ = Random(gap);
  gap_ = gap;
  backwards_ = backwards;
}

std::uint32_t Oracle::choose(Roster& roster, ThreadTable& threads, std::uint64_t step, std::uint32_t previous,
                             std::uint32_t preemptions_left) {
  const std::uint32_t able = count(roster, runs);
  if (able == 0) return nth(roster, 0, expires);
  if (preemptions_left == 0) {
    for (std::uint32_t i = 0; i < roster.size(); ++i) {
      if (roster[i].thread == previous && runs(roster[i])) return i;
    }
  }
  switch (kind_) {
    case OracleKind::first:
      return nth(roster, 0, runs);
    case OracleKind::random: {
      const std::uint32_t timed = count(roster, expires);
      if (timed != 0 && random_.below(8) == 0) return nth(roster, random_.below(timed), expires);
      return nth(roster, random_.below(able), runs);
    }
    case OracleKind::pct:
      return choose_pct(roster, threads, step, previous);
    case OracleKind::sweep:
      return choose_sweep(roster, threads);
  }
  return kNone;
}

// Highest priority first. At the i-th change point the running thread falls to priority i + 1, below all that
// started.
std::uint32_t Oracle::choose_pct(Roster& roster, ThreadTable& threads, std::uint64_t step, std::uint32_t previous) {
  constexpr std::uint32_t kStart = 1u << 16;
  for (std::uint32_t i = 0; i + 1 < depth_; ++i) {
    if (change_[i] == step && previous < threads.size()) threads[previous].priority = 2 + i;
  }
  std::uint32_t best = kNone;
  for (std::uint32_t i = 0; i < roster.size(); ++i) {
    Thread& thread = threads[roster[i].thread];
    if (thread.priority == 0) thread.priority = kStart + random_.below(1u << 30);
    if (runs(roster[i]) && (best == kNone || thread.priority > threads[roster[best].thread].priority)) best = i;
  }
  return best;
}

// Main runs as far as it can, so that all threads it makes take part. Then those that have not reached the gap, in
// order; then all to their ends, in the opposite order.
std::uint32_t Oracle::choose_sweep(Roster& roster, ThreadTable& threads) const {
  std::uint32_t early = kNone;
  std::uint32_t late = kNone;
  for (std::uint32_t i = 0; i < roster.size(); ++i) {
    if (!runs(roster[i])) continue;
    const std::uint32_t thread = roster[i].thread;
    if (thread == 0) return i;
    auto before = [&](std::uint32_t other) { return (thread < roster[other].thread) != backwards_; };
    if (threads[thread].runs < gap_ && (early == kNone || before(early))) early = i;
    if (late == kNone || !before(late)) late = i;
  }
  return early != kNone ? early : late;
}

}  // namespace xbdbg::explore
