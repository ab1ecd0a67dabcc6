#include "explorer/core/access_set.h"

namespace xbdbg::explore {

namespace {

void sift_down(std::uint64_t* values, std::uint32_t from, std::uint32_t count) {
  for (std::uint32_t parent = from;;) {
    std::uint32_t child = 2 * parent + 1;
    if (child >= count) return;
    if (child + 1 < count && values[child + 1] > values[child]) ++child;
    if (values[parent] >= values[child]) return;
    const std::uint64_t swapped = values[parent];
    values[parent] = values[child];
    values[child] = swapped;
    parent = child;
  }
}

// Heap sort: no recursion on a thread's small stack, no worst case.
void sort(std::uint64_t* values, std::uint32_t count) {
  for (std::uint32_t i = count / 2; i-- > 0;) sift_down(values, i, count);
  for (std::uint32_t last = count; last-- > 1;) {
    const std::uint64_t largest = values[0];
    values[0] = values[last];
    values[last] = largest;
    sift_down(values, 0, last);
  }
}

std::uint32_t sort_unique(Array<std::uint64_t>& values, std::uint64_t& filter) {
  sort(values.begin(), values.size());
  std::uint32_t kept = 0;
  for (std::uint64_t value : values) {
    if (kept != 0 && values[kept - 1] == value) continue;
    values[kept++] = value;
    filter |= filter_bit(value);
  }
  return kept;
}

bool intersect(const std::uint64_t* a, std::uint32_t count_a, const std::uint64_t* b, std::uint32_t count_b) {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  while (i < count_a && j < count_b) {
    if (a[i] == b[j]) return true;
    if (a[i] < b[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

}  // namespace

void AccessStack::forget() {
  reads_.clear();
  writes_.clear();
  everything_ = false;
}

std::uint32_t AccessStack::seal() {
  AccessSet set{};
  set.reads = sort_unique(reads_, set.read_filter);
  set.writes = sort_unique(writes_, set.write_filter);
  set.offset = addresses_.size();
  set.everything = everything_ ? 1 : 0;
  if (std::uint64_t* room = addresses_.extend(set.reads + set.writes)) {
    if (set.reads != 0) std::memcpy(room, reads_.begin(), set.reads * sizeof(std::uint64_t));
    if (set.writes != 0) std::memcpy(room + set.reads, writes_.begin(), set.writes * sizeof(std::uint64_t));
  } else if (set.reads + set.writes != 0) {
    set.reads = set.writes = 0;
  }
  forget();
  return sets_.push(set) ? sets_.size() - 1 : 0;
}

bool AccessStack::conflict(std::uint32_t a, std::uint32_t b) const {
  const AccessSet& x = sets_[a];
  const AccessSet& y = sets_[b];
  if (x.everything != 0 || y.everything != 0) return true;
  const std::uint64_t* xs = addresses(x);
  const std::uint64_t* ys = addresses(y);
  return ((x.write_filter & y.write_filter) != 0 && intersect(xs + x.reads, x.writes, ys + y.reads, y.writes)) ||
         ((x.read_filter & y.write_filter) != 0 && intersect(xs, x.reads, ys + y.reads, y.writes)) ||
         ((x.write_filter & y.read_filter) != 0 && intersect(xs + x.reads, x.writes, ys, y.reads));
}

void AccessStack::truncate(std::uint32_t height) {
  if (height >= sets_.size()) return;
  addresses_.truncate(sets_[height].offset);
  sets_.truncate(height);
}

bool AccessStack::push(const AccessSet& shape, const void* addresses) {
  AccessSet set = shape;
  set.offset = addresses_.size();
  const std::uint32_t count = set.reads + set.writes;
  std::uint64_t* room = addresses_.extend(count);
  if (room == nullptr && count != 0) return false;
  if (count != 0) std::memcpy(room, addresses, count * sizeof(std::uint64_t));
  return sets_.push(set);
}

}  // namespace xbdbg::explore
