// explorer/core/roster.h — the living threads in the order in which they get their turn.
//
// The thread that runs goes on first; threads that become able to run go to the end. A position of the tree keeps a
// copy of the roster as it was there; that copy, with the threads already tried from there marked as delayed, *is*
// the state of a branch.
#pragma once

#include <cstdint>

#include "explorer/core/arena.h"
#include "explorer/core/event.h"

namespace xbdbg::explore {

enum class Standing : std::uint8_t {
  enabled,
  blocked,  // on (object_kind, object)
  waiting,  // in a wait for `object`
};

inline constexpr std::uint8_t kDelayed =
    1;  // tried first from this position; comes back after (RW: a conflicting) block
inline constexpr std::uint8_t kMayExpire = 2;  // blocked or waiting with a time limit
inline constexpr std::uint8_t kReally = 4;     // blocked in fact, not only known to block when it runs on

// Marks in a position's copy of the roster that hold there only.
inline constexpr std::uint8_t kNoExpiry = 8;   // its timed waits have expired often enough on this path
inline constexpr std::uint8_t kHeldBack = 16;  // polls, and must let others run first
inline constexpr std::uint8_t kMayWake = 32;   // may wake spuriously
inline constexpr std::uint8_t kHere = kNoExpiry | kHeldBack | kMayWake;

// Blocked after an undo, and what its undone block had used was used by others since: it may do otherwise now, or
// close a lock cycle that was not there before. Tried after all others.
inline constexpr std::uint8_t kRetry = 64;

// Waiting, and known to block on a lock when it wakes by itself; until the next block of another thread.
inline constexpr std::uint8_t kWakesInVain = 128;

inline constexpr std::uint32_t kNoSet = ~std::uint32_t{0};

struct Entry {
  std::uint32_t thread;
  Standing standing;
  std::uint8_t flags;
  ObjectKind object_kind;
  std::uint8_t reserved;
  std::uint64_t object;
  std::uint32_t set;     // delayed under -RW: the accesses of the block it ran from here
  std::uint32_t filter;  // blocked after an undo: the objects its undone block had used

  bool is(std::uint8_t flag) const { return (flags & flag) != 0; }
};

class Roster {
 public:
  explicit Roster(Arena& arena) : entries_(arena) {}

  std::uint32_t size() const { return entries_.size(); }
  Entry* begin() { return entries_.begin(); }
  Entry* end() { return entries_.end(); }
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }
  Entry& operator[](std::uint32_t i) { return entries_[i]; }

  bool assign(const Entry* entries, std::uint32_t count) { return entries_.assign(entries, count); }
  bool append(std::uint32_t thread) {
    return entries_.push(Entry{thread, Standing::enabled, 0, {}, 0, 0, kNoSet, 0});
  }
  Entry* find(std::uint32_t thread) {
    for (Entry& entry : entries_) {
      if (entry.thread == thread) return &entry;
    }
    return nullptr;
  }
  void remove(std::uint32_t thread) {
    if (Entry* entry = find(thread)) entries_.take(static_cast<std::uint32_t>(entry - entries_.begin()));
  }
  // It can run: last in turn. Invalidates pointers into the roster.
  void enable(std::uint32_t i) {
    Entry& entry = entries_[i];
    entry.standing = Standing::enabled;
    entry.flags = 0;
    entry.set = kNoSet;
    entries_.move_to(i, entries_.size() - 1);
  }
  void move_to(std::uint32_t i, std::uint32_t to) { entries_.move_to(i, to); }
  // Threads blocked on the object can try again.
  void unblock(ObjectKind kind, std::uint64_t object) {
    for (std::uint32_t i = 0, left = entries_.size(); left != 0; --left) {
      const Entry& entry = entries_[i];
      if (entry.standing == Standing::blocked && entry.object == object && entry.object_kind == kind) {
        enable(i);
      } else {
        ++i;
      }
    }
  }

 private:
  Array<Entry> entries_;
};

}  // namespace xbdbg::explore
