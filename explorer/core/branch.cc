#include "explorer/core/branch.h"

namespace xbdbg::explore {

namespace {

// Counts when it has no buffer, writes when it has one.
class Writer {
 public:
  Writer(std::uint8_t* to, std::size_t capacity) : to_(to), capacity_(capacity) {}

  void raw(const void* data, std::size_t bytes) {
    if (to_ != nullptr && size_ + bytes <= capacity_ && bytes != 0) std::memcpy(to_ + size_, data, bytes);
    size_ += bytes;
  }
  void number(std::uint64_t value) {
    do {
      const std::uint8_t byte = static_cast<std::uint8_t>((value & 127) | (value > 127 ? 128 : 0));
      raw(&byte, 1);
      value >>= 7;
    } while (value != 0);
  }
  std::size_t size() const { return size_; }

 private:
  std::uint8_t* to_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

class Reader {
 public:
  Reader(const std::uint8_t* from, std::size_t bytes) : next_(from), end_(from + bytes) {}

  bool raw(void* data, std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - next_) < bytes) {
      good_ = false;
      std::memset(data, 0, bytes);
      return false;
    }
    std::memcpy(data, next_, bytes);
    next_ += bytes;
    return true;
  }
  std::uint32_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 42; shift += 7) {
      std::uint8_t byte = 0;
      if (!raw(&byte, 1)) return 0;
      value |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return static_cast<std::uint32_t>(value);
    }
    good_ = false;
    return 0;
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
  const std::uint8_t* here() const { return next_; }
  void skip(std::size_t bytes) { next_ += bytes; }
  bool good() const { return good_; }

 private:
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  bool good_ = true;
};

void write_entry(Writer& out, const Entry& entry) {
  out.number(entry.thread);
  const std::uint8_t shape[3] = {static_cast<std::uint8_t>(entry.standing), entry.flags,
                                 static_cast<std::uint8_t>(entry.object_kind)};
  out.raw(shape, sizeof shape);
  if (entry.standing != Standing::enabled) {
    out.raw(&entry.object, sizeof entry.object);
    out.raw(&entry.filter, sizeof entry.filter);
  }
  out.number(entry.set == kNoSet ? 0 : entry.set + 1);
}

Entry read_entry(Reader& in, std::uint32_t sets) {
  Entry entry{};
  entry.thread = in.number();
  std::uint8_t shape[3] = {};
  in.raw(shape, sizeof shape);
  entry.standing = shape[0] <= 2 ? static_cast<Standing>(shape[0]) : Standing::enabled;
  entry.flags = shape[1];
  entry.object_kind = shape[2] <= 3 ? static_cast<ObjectKind>(shape[2]) : ObjectKind::other;
  if (entry.standing != Standing::enabled) {
    in.raw(&entry.object, sizeof entry.object);
    in.raw(&entry.filter, sizeof entry.filter);
  }
  const std::uint32_t set = in.number();
  entry.set = set == 0 || set > sets ? kNoSet : set - 1;
  return entry;
}

// The thread choice whose block the node lies in: a waiter's choice is made in the middle of a block, and whoever
// goes on from there needs the roster of the block's start.
std::uint32_t block_start(const Tree& tree, std::uint32_t index) {
  while (tree[index].kind == NodeKind::waiter && index != 0) --index;
  return index;
}

void write_node(Writer& out, const Tree& tree, const Node& node) {
  out.raw(&node.mass, sizeof node.mass);
  out.number(node.preemptions);
  out.number(node.deviations);
  out.number(std::uint64_t{node.previous} + 1);
  out.number(node.chosen);
  const std::uint8_t shape[4] = {static_cast<std::uint8_t>(node.kind), static_cast<std::uint8_t>(node.wake),
                                 static_cast<std::uint8_t>(node.open), static_cast<std::uint8_t>(node.retried)};
  out.raw(shape, sizeof shape);
  out.number(node.count);
  for (std::uint32_t i = 0; i < node.count; ++i) write_entry(out, tree.entries(node)[i]);
}

bool read_node(Reader& in, Tree& tree, std::uint32_t sets) {
  Node node{};
  in.raw(&node.mass, sizeof node.mass);
  node.preemptions = static_cast<std::uint16_t>(in.number());
  node.deviations = static_cast<std::uint16_t>(in.number());
  node.previous = in.number() - 1;
  const std::uint32_t chosen = in.number();
  std::uint8_t shape[4] = {};
  in.raw(shape, sizeof shape);
  node.kind = shape[0] == 0 ? NodeKind::thread : NodeKind::waiter;
  node.wake = shape[1] <= 2 ? static_cast<Wake>(shape[1]) : Wake::normal;
  node.exhausted = shape[2] == 0;
  node.retried = shape[3] != 0;
  const std::uint32_t count = in.number();
  if (!in.good() || !tree.open(node, nullptr, 0)) return false;
  tree.top().chosen = chosen;
  tree.top().open = shape[2] != 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Entry entry = read_entry(in, sets);
    if (!in.good() || !tree.add_entry(entry)) return false;
  }
  return true;
}

void write_all(Writer& out, const Tree& tree, const AccessStack& accesses, std::uint32_t index) {
  const std::uint32_t start = block_start(tree, index);
  out.number(start);
  for (std::uint32_t i = 0; i < start; ++i) {
    const Node& step = tree[i];
    out.number(std::uint64_t{step.chosen} << 3 | static_cast<std::uint64_t>(step.wake) << 1 |
               static_cast<std::uint64_t>(step.kind));
  }
  out.number(tree[index].sets);
  for (std::uint32_t i = 0; i < tree[index].sets; ++i) {
    const AccessSet& set = accesses.set(i);
    out.raw(&set, sizeof set);
    out.raw(accesses.addresses(set), (set.reads + set.writes) * sizeof(std::uint64_t));
  }
  out.number(index - start + 1);
  for (std::uint32_t i = start; i <= index; ++i) write_node(out, tree, tree[i]);
}

bool read_prefix(Reader& in, Tree& tree, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t packed = in.number();
    Node step{};
    step.kind = static_cast<NodeKind>(packed & 1);
    step.wake = (packed >> 1 & 3) <= 2 ? static_cast<Wake>(packed >> 1 & 3) : Wake::normal;
    step.exhausted = true;
    if (!in.good() || !tree.open(step, nullptr, 0)) return false;
    tree.top().chosen = static_cast<std::uint32_t>(packed >> 3);
    tree.top().open = false;
  }
  return true;
}

bool read_sets(Reader& in, AccessStack& accesses) {
  const std::uint32_t sets = in.number();
  for (std::uint32_t i = 0; i < sets; ++i) {
    AccessSet set{};
    if (!in.raw(&set, sizeof set)) return false;
    const std::size_t bytes = (std::size_t{set.reads} + set.writes) * sizeof(std::uint64_t);
    if (bytes > in.left()) return false;
    if (!accesses.push(set, in.here())) return false;
    in.skip(bytes);
  }
  return in.good();
}

}  // namespace

std::size_t branch_bytes(const Tree& tree, const AccessStack& accesses, std::uint32_t index) {
  Writer counter(nullptr, 0);
  write_all(counter, tree, accesses, index);
  return counter.size();
}

std::size_t write_branch(const Tree& tree, const AccessStack& accesses, std::uint32_t index, std::uint8_t* to,
                         std::size_t capacity) {
  Writer out(to, capacity);
  write_all(out, tree, accesses, index);
  return out.size() <= capacity ? out.size() : 0;
}

bool read_branch(Tree& tree, AccessStack& accesses, const std::uint8_t* from, std::size_t bytes) {
  Reader in(from, bytes);
  tree.clear();
  bool good = read_prefix(in, tree, in.number()) && read_sets(in, accesses);
  const std::uint32_t nodes = in.number();
  good = good && nodes != 0;
  for (std::uint32_t i = 0; good && i < nodes; ++i) good = read_node(in, tree, accesses.height());
  good = good && in.good() && tree.top().open;
  if (!good) tree.clear();
  return good;
}

}  // namespace xbdbg::explore
