// explorer/core/tree.h — the path of the schedule tree that is being walked, with what is left to try beside it.
//
// A node is one choice: a thread that ran a block from a position, or a waiter that a signal woke. It keeps the
// roster of its position; threads already tried from there are marked as delayed in it. Execution always restarts at
// the snapshot, so a node's position is nothing but the choices before it, and the tree in memory is one path long.
#pragma once

#include <cstdint>

#include "explorer/core/access_set.h"
#include "explorer/core/arena.h"
#include "explorer/core/roster.h"

namespace xbdbg::explore {

enum class NodeKind : std::uint8_t { thread, waiter };

struct Node {
  double mass;            // share of the whole tree that is still to be given out from here
  std::uint64_t touched;  // filter of the objects its block used
  std::uint32_t entries;  // its first in the tree's entries
  std::uint32_t count;
  std::uint32_t sets;  // height of the access stack that belongs to it and the nodes before it
  std::uint32_t set;   // of the block run last from here
  std::uint32_t chosen;
  std::uint32_t previous;     // the thread that ran before this choice
  std::uint16_t preemptions;  // on the way here
  std::uint16_t deviations;   // choices on the way here that were not the first
  NodeKind kind;
  Wake wake;
  bool open;       // its next choice is still to be made
  bool exhausted;  // nothing else is to be tried from here
  bool retried;    // its first choice was made before
};

class Tree {
 public:
  Tree(Arena& arena, AccessStack& accesses, std::uint32_t max_preemptions)
      : nodes_(arena), entries_(arena), accesses_(accesses), max_preemptions_(max_preemptions) {}

  std::uint32_t depth() const { return nodes_.size(); }
  Node& operator[](std::uint32_t i) { return nodes_[i]; }
  const Node& operator[](std::uint32_t i) const { return nodes_[i]; }
  Node& top() { return nodes_.back(); }
  Entry* entries(const Node& node) { return entries_.begin() + node.entries; }
  const Entry* entries(const Node& node) const { return entries_.begin() + node.entries; }
  void clear();

  // A new choice at the end of the path; false: no memory.
  bool open(const Node& shape, const Entry* entries, std::uint32_t count);

  bool add_entry(const Entry& entry);  // to the node just opened

  // The first thread that may be tried next from the node, kNoEntry when none is left. Threads that would exceed the
  // bound on preemptions are passed over, and noted.
  static constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};
  std::uint32_t first_candidate(const Node& node);
  std::uint32_t candidates(const Node& node) const;
  bool bound_hit() const { return bound_hit_; }

  // Would choosing `thread` at the node take the processor from a thread that could go on?
  bool preempts(const Node& node, std::uint32_t thread) const;

  // What the node chose last was walked: it is delayed there. False: nothing is left to try.
  bool delay_chosen(std::uint32_t index);
  // Retires nodes from the end of the path until one has something left.
  bool backtrack();
  // The block run from node `index` cannot be completed: its thread is blocked here.
  // True: it had been blocked here before and was only tried once more.
  bool undo(std::uint32_t index, ObjectKind kind, std::uint64_t object);

 private:
  bool able(const Entry& entry) const;
  void cut_after(std::uint32_t index);

  Array<Node> nodes_;
  Array<Entry> entries_;
  AccessStack& accesses_;
  std::uint32_t max_preemptions_;
  bool bound_hit_ = false;
};

}  // namespace xbdbg::explore
