#include "explorer/core/tree.h"

namespace xbdbg::explore {

void Tree::clear() {
  nodes_.clear();
  entries_.clear();
  accesses_.truncate(0);
}

bool Tree::open(const Node& shape, const Entry* entries, std::uint32_t count) {
  if (!entries_.reserve(entries_.size() + count) || !nodes_.reserve(nodes_.size() + 1)) return false;
  Node node = shape;
  node.entries = entries_.size();
  node.count = count;
  node.sets = accesses_.height();
  node.set = kNoSet;
  node.open = true;
  Entry* room = entries_.extend(count);
  if (count != 0) std::memcpy(room, entries, count * sizeof(Entry));
  nodes_.push(node);
  return true;
}

bool Tree::add_entry(const Entry& entry) {
  if (!entries_.push(entry)) return false;
  ++nodes_.back().count;
  return true;
}

bool Tree::able(const Entry& entry) const {
  if (entry.is(kDelayed) || entry.is(kHeldBack)) return false;
  if (entry.standing == Standing::enabled || entry.is(kRetry)) return true;
  return ((entry.is(kMayExpire) && !entry.is(kNoExpiry)) || entry.is(kMayWake)) && !entry.is(kWakesInVain);
}

bool Tree::preempts(const Node& node, std::uint32_t thread) const {
  if (node.kind != NodeKind::thread || thread == node.previous) return false;
  const Entry* first = entries(node);
  for (const Entry* entry = first; entry != first + node.count; ++entry) {
    if (entry->thread == node.previous) return entry->standing == Standing::enabled && !entry->is(kHeldBack);
  }
  return false;
}

// Threads that can run come before timed waits that may expire and threads that will most likely block again.
std::uint32_t Tree::first_candidate(const Node& node) {
  const Entry* first = entries(node);
  std::uint32_t expiring = kNoEntry;
  std::uint32_t retry = kNoEntry;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (!able(first[i])) continue;
    if (node.preemptions >= max_preemptions_ && preempts(node, first[i].thread)) {
      bound_hit_ = true;
      continue;
    }
    if (first[i].standing == Standing::enabled) return i;
    if (first[i].is(kRetry)) {
      retry = retry == kNoEntry ? i : retry;
    } else if (expiring == kNoEntry) {
      expiring = i;
    }
  }
  return expiring != kNoEntry ? expiring : retry;
}

std::uint32_t Tree::candidates(const Node& node) const {
  const Entry* first = entries(node);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (able(first[i]) && (node.preemptions < max_preemptions_ || !preempts(node, first[i].thread))) ++count;
  }
  return count;
}

void Tree::cut_after(std::uint32_t index) {
  const Node& node = nodes_[index];
  nodes_.truncate(index + 1);
  entries_.truncate(node.entries + node.count);
  std::uint32_t block = index;  // the set of the block that a waiter's choice lies in must survive
  while (nodes_[block].kind == NodeKind::waiter && block != 0) --block;
  accesses_.truncate(nodes_[block].set == kNoSet ? node.sets : nodes_[block].set + 1);
}

bool Tree::delay_chosen(std::uint32_t index) {
  Node& node = nodes_[index];
  if (node.exhausted) return false;
  Entry* first = entries(node);
  for (std::uint32_t i = 0; i < node.count && !node.open; ++i) {
    if (first[i].thread != node.chosen) continue;
    first[i].flags |= kDelayed;
    first[i].set = node.set;
  }
  // The first set sealed after a node was opened is that of its own block.
  if (node.set != kNoSet) node.sets = node.set + 1;
  node.set = kNoSet;
  node.open = true;
  node.retried = true;
  return first_candidate(node) != kNoEntry;
}

bool Tree::backtrack() {
  while (nodes_.size() != 0) {
    const std::uint32_t last = nodes_.size() - 1;
    cut_after(last);
    if (delay_chosen(last)) return true;
    entries_.truncate(nodes_[last].entries);
    nodes_.truncate(last);
  }
  accesses_.truncate(0);
  return false;
}

bool Tree::undo(std::uint32_t index, ObjectKind kind, std::uint64_t object) {
  Node& node = nodes_[index];
  node.set = kNoSet;
  cut_after(index);
  bool again = false;
  Entry* first = entries(node);
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (first[i].thread != node.chosen) continue;
    if (node.wake != Wake::normal) {  // undone to where it still waits
      first[i].flags |= kWakesInVain;
      continue;
    }
    again = first[i].is(kRetry);
    first[i].standing = Standing::blocked;
    first[i].flags = 0;
    first[i].object_kind = kind;
    first[i].object = object;
    first[i].filter = static_cast<std::uint32_t>(node.touched | node.touched >> 32);
  }
  node.open = true;
  return again;
}

}  // namespace xbdbg::explore
