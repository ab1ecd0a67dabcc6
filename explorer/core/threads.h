// explorer/core/threads.h — what each thread of the execution under way holds, waits for, and last did.
//
// Kept up to date by every event, in followed prefixes too, and put back to the snapshot at the start of every
// execution. It knows no tree and no strategy. Reverse lock chain analysis lives here, because it needs nothing else.
#pragma once

#include <cstdint>

#include "explorer/core/arena.h"
#include "explorer/core/event.h"

namespace xbdbg::explore {

struct Held {
  std::uint64_t object;
  std::uint64_t site;
  std::uint32_t ordinal;  // the thread's n-th acquisition
  std::uint32_t shared;
};

inline constexpr std::uint32_t kMaxHeldLocks = 32;  // remembered per thread; deeper nesting is not analysed
inline constexpr std::uint32_t kMaxCycle = 16;      // threads in a reported cycle
inline constexpr std::uint32_t kSignatures = 4;

struct Thread {
  Held last;  // the last lock released while another was held
  std::uint32_t held_count;
  bool has_last;
  bool exists;
  bool ended;
  bool waits;
  bool ownerless_in_block;          // took a unit that has no owner (semaphore)
  std::uint32_t acquires_in_block;  // since its block began
  std::uint32_t effects_in_block;   // acquisitions, signals: what an undo must take back
  std::uint32_t ordinal;            // acquisitions so far
  std::uint32_t runs;               // blocks begun
  std::uint64_t last_run;           // number of the step that ran it last
  std::uint64_t window;             // step at which the present window of polls began
  std::uint64_t held_back;          // not before all that last ran before this step; 0: free
  std::uint32_t polls;              // in this window
  std::uint32_t expiries;
  std::uint64_t mutex;                    // to take again after a wait
  std::uint64_t wanted_site;              // where it was blocked last
  std::uint64_t signature;                // of the block under way: objects and sites of its acquisitions
  std::uint64_t signatures[kSignatures];  // of its last different blocks
  std::uint32_t repeats;                  // blocks in a row like one of those
  std::uint32_t priority;                 // PCT
};

// One thread of a lock cycle: it holds `held` and wants `wanted`, which the next one holds.
struct CycleMember {
  std::uint32_t thread;
  std::uint32_t stop_before;  // the acquisition (Held::ordinal) it must not get for the deadlock to become real
  Held held;
  std::uint64_t wanted;
  std::uint64_t wanted_site;
};

struct LockCycle {
  std::uint32_t count = 0;
  bool confirmed = false;  // the threads really are in it, or a driven schedule reached it
  CycleMember members[kMaxCycle];

  std::uint64_t key() const;  // equal for the same locks wanted at the same places, whatever the threads
};

struct Waiter {
  std::uint32_t thread;
  std::uint64_t object;
};

class ThreadTable {
 public:
  explicit ThreadTable(Arena& arena)
      : threads_(arena),
        held_(arena),
        waiters_(arena),
        saved_threads_(arena),
        saved_held_(arena),
        saved_waiters_(arena) {}

  std::uint32_t size() const { return threads_.size(); }
  Thread& operator[](std::uint32_t thread) { return threads_[thread]; }
  const Thread& operator[](std::uint32_t thread) const { return threads_[thread]; }
  // The locks a thread holds, Thread::held_count of them, in the order it took them.
  Held* held(std::uint32_t thread) { return held_.begin() + thread * kMaxHeldLocks; }
  const Held* held(std::uint32_t thread) const { return held_.begin() + thread * kMaxHeldLocks; }
  bool add(std::uint32_t thread);

  void save();     // the snapshot is taken here
  void restore();  // an execution begins

  void acquired(std::uint32_t thread, const Event& event);
  bool released(std::uint32_t thread, std::uint64_t object);  // false: not in order (an inner lock is still held)
  void begin_block(std::uint32_t thread, std::uint64_t step);
  bool is_held(std::uint64_t object) const;

  void wait(std::uint32_t thread, std::uint64_t object, std::uint64_t mutex);
  bool wake(std::uint32_t thread);  // no longer waits; false: it did not
  const Array<Waiter>& waiters() const { return waiters_; }

  // Thread `thread` cannot get `wanted`: would its owners, stopped before the last lock they took, close a cycle?
  bool predicted_cycle(std::uint32_t thread, std::uint64_t wanted, std::uint64_t site, LockCycle& cycle) const;

 private:
  bool follow(std::uint32_t first, std::uint64_t wanted, LockCycle& cycle) const;

  Array<Thread> threads_;
  Array<Held> held_;  // kMaxHeldLocks per thread; apart, so that Thread stays small enough to copy
  Array<Waiter> waiters_;
  Array<Thread> saved_threads_;
  Array<Held> saved_held_;
  Array<Waiter> saved_waiters_;
};

}  // namespace xbdbg::explore
