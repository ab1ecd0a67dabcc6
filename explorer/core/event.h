// explorer/core/event.h — what the runner of a program tells the search, and what it is told.
//
// The runner (the agent inside the target, or a model interpreter in the tests) executes the program's threads one at
// a time. It reports every operation that other threads can notice, and asks which thread goes on when a block has
// ended. The search knows threads by number (0 is main; the others in order of birth) and objects by address. It
// never sees the program itself.
//
// When an operation is reported:
//   before it is performed  acquire (it can be had now), blocked (it cannot be had now)
//   after it was performed  all others
#pragma once

#include <cstdint>

namespace xbdbg::explore {

inline constexpr std::uint32_t kNoThread = ~std::uint32_t{0};

enum class EventKind : std::uint8_t {
  acquire,    // a mutex, spinlock or rwlock (recursive ones: outermost only), a unit of a semaphore, a finished join
  blocked,    // the same, but not to be had now
  release,    // of a lock (outermost), or a semaphore's post
  wait,       // entered a wait for `object` (condition, futex, barrier); `object2`: the mutex it released, or 0
  signal,     // wakes one waiter of `object`: Reply::waiter says which
  broadcast,  // wakes all waiters of `object`; also the last arrival at a barrier
  create,     // of thread `object`
  end,        // of this thread
  yield,      // sched_yield, a sleep, a failed try operation on `object`, a spin loop that was interrupted
  atomic,     // an atomic operation, or an access that is known to race: a block of its own ends here
  exit,       // the process ends: exit, abort, a fatal signal, a failed assertion that stops the program
};

enum class ObjectKind : std::uint8_t { lock, semaphore, join, other };

inline constexpr std::uint16_t kShared = 1;   // acquire: a reader's lock
inline constexpr std::uint16_t kTimed = 2;    // blocked, wait: it may expire
inline constexpr std::uint16_t kTry = 4;      // acquire, yield: a try operation on `object`
inline constexpr std::uint16_t kTrusted = 8;  // happens inside code the user trusts: ends no block
inline constexpr std::uint16_t kMore = 16;    // signal: another one of the same operation follows (futex wake of n)

struct Event {
  EventKind kind{};
  ObjectKind object_kind = ObjectKind::lock;
  std::uint16_t flags = 0;
  std::uint32_t thread = 0;
  std::uint64_t object = 0;   // address; create and join: the other thread's number
  std::uint64_t object2 = 0;  // wait: the mutex
  std::uint64_t site = 0;     // return address of the call
};

enum class Verdict : std::uint8_t {
  go_on,          // perform the operation (if not yet done) and let the same thread run on
  switch_thread,  // perform it (if not yet done), then ask pick() who runs next
  again,          // do not perform it: ask pick(), and report it again when this thread runs next
  abandon,        // this execution is of no more use: go to the next one
  finished,       // the execution is over
};

struct Reply {
  Verdict verdict = Verdict::go_on;
  std::uint32_t waiter = kNoThread;  // signal: the thread to wake, kNoThread when nobody waits
};

enum class Wake : std::uint8_t { normal, timeout, spurious };

// The answer to "who runs next". A chosen thread that is in a wait comes out of it the way `wake` says.
struct Decision {
  bool finished = false;  // nobody: the execution is over
  Wake wake = Wake::normal;
  std::uint16_t alternatives = 1;  // threads that could have been chosen, in the terms of the agent's Choice
  std::uint32_t thread = kNoThread;
};

// Why an execution was over.
enum class Ending : std::uint8_t {
  ran_out,      // every thread ended, or what is left was covered by another path
  exited,       // EventKind::exit
  deadlock,     // threads are left, and none of them can ever run
  no_progress,  // threads poll without end: stopped by Options::max_polls or max_blocks
  aborted,      // undone because a lock was not available: not a path
  diverged,     // the program did not repeat what it did before under the same choices
};

}  // namespace xbdbg::explore
