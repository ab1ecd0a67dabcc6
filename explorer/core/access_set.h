// explorer/core/access_set.h — what a block read and wrote, and whether two blocks conflict.
//
// The accesses of the block under way are collected unsorted; seal() sorts them and puts them on a stack that grows
// and shrinks with the tree's path. Most pairs of blocks do not conflict, and a 64-bit filter per set says so
// quickly.
#pragma once

#include <cstdint>

#include "explorer/core/arena.h"

namespace xbdbg::explore {

struct AccessSet {
  std::uint64_t read_filter;
  std::uint64_t write_filter;
  std::uint32_t offset;  // of the reads in the stack's addresses; the writes follow
  std::uint32_t reads;
  std::uint32_t writes;
  std::uint32_t everything;  // conflicts with every other set: the process ended in this block
};

class AccessStack {
 public:
  explicit AccessStack(Arena& arena) : reads_(arena), writes_(arena), addresses_(arena), sets_(arena) {}

  // The block under way.
  void read(std::uint64_t address) { reads_.push(address); }
  void write(std::uint64_t address) { writes_.push(address); }
  void touch_everything() { everything_ = true; }
  void forget();
  std::uint32_t seal();  // its set on the stack: the index

  std::uint32_t height() const { return sets_.size(); }
  const AccessSet& set(std::uint32_t index) const { return sets_[index]; }
  const std::uint64_t* addresses(const AccessSet& set) const { return addresses_.begin() + set.offset; }
  bool conflict(std::uint32_t a, std::uint32_t b) const;

  void truncate(std::uint32_t height);
  bool push(const AccessSet& shape, const void* addresses);  // an imported set; `addresses` need not be aligned

 private:
  Array<std::uint64_t> reads_;
  Array<std::uint64_t> writes_;
  bool everything_ = false;
  Array<std::uint64_t> addresses_;
  Array<AccessSet> sets_;
};

// Spreads addresses over the 64 bits of a filter.
inline std::uint64_t filter_bit(std::uint64_t address) {
  return std::uint64_t{1} << ((address * 0x9e37'79b9'7f4a'7c15) >> 58);
}

}  // namespace xbdbg::explore
