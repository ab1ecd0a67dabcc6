// tracer/agent/runtime.h — the agent's one instance, and what every interposed function begins with.
//
// Interposed functions have no argument to carry our state, so there is one global `rt`. Code runs in one of two
// modes: *program* (the program and libc; signals are delivered at once) and *agent* (our data structures may be in
// the middle of a change; signals wait). AgentScope marks the latter.
#pragma once

#include "tracer/agent/clock.h"
#include "tracer/agent/cpu_time.h"
#include "tracer/agent/file_mappings.h"
#include "tracer/agent/journal.h"
#include "tracer/agent/nonblocking_fds.h"
#include "tracer/agent/output_fds.h"
#include "tracer/agent/policy.h"
#include "tracer/agent/protocol.h"
#include "tracer/agent/real.h"
#include "tracer/agent/scheduler.h"
#include "tracer/agent/shared_watch.h"
#include "tracer/agent/signals.h"
#include "tracer/agent/stacks.h"
#include "tracer/agent/state_hash.h"
#include "tracer/agent/thread.h"
#include "tracer/agent/timers.h"

namespace xbdbg::agent {

struct Runtime {
  bool initialized;
  // False: the library is loaded but does nothing (no xbdbg behind it, or we are a forked child of the target), and
  // every interposed function is the real one.
  bool engaged;
  bool in_agent;
  bool modules_changed;  // since xbdbg was last told; see protocol.h
  bool listened_to;      // events are written or compared: for xbdbg, a trace, or both
  Arena* arena;
  Real real;
  Journal journal;
  ThreadTable threads;
  Clock clock;
  Policy policy;
  Scheduler scheduler;
  Signals signals;
  Timers timers;
  CpuTime cpu_time;
  Stacks stacks;
  OutputFds output_fds;
  NonblockingFds nonblocking_fds;
  FileMappings mappings;
  SharedWatch shared_watch;
  int pid;                 // as the program knows it; replaying, that of the recording
  int kernel_pid;          // as the kernel knows it
  std::uint32_t children;  // child processes that were not waited for: they live in real time
};

extern Runtime rt;

void initialize();  // idempotent; see init.cc

inline Thread& self() { return *rt.scheduler.current(); }

// True: this call is ours to model. Otherwise the caller uses the real function.
inline bool engaged() {
  if (__builtin_expect(!rt.engaged, 0) && !rt.initialized) initialize();
  return rt.engaged && !rt.in_agent;
}

// A place where what happened outside meanwhile is taken in.
[[gnu::always_inline]] inline void take_in() {
  rt.signals.take_in();
  rt.shared_watch.look();
}

// From entering to leaving the agent. Leaving delivers the signals that arrived meanwhile.
class AgentScope {
 public:
  AgentScope() {
    rt.in_agent = true;
    rt.shared_watch.look();
    if (__builtin_expect(self().queued, 0))
      rt.scheduler.forget_left_wait(reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
  }
  ~AgentScope() {
    take_in();
    if (__builtin_expect(rt.signals.any_pending(), 0)) rt.signals.deliver_to_current();
    rt.in_agent = false;
    if (__builtin_expect(rt.journal.active(), 0)) wipe_stack_below();
  }
  AgentScope(const AgentScope&) = delete;
  AgentScope& operator=(const AgentScope&) = delete;
};

// Runs f as program code from inside the agent: a real function that may make system calls, call back, or unwind.
template <class F>
auto as_program(F f) {
  rt.in_agent = false;
  auto result = f();
  rt.in_agent = true;
  return result;
}

void write_event(std::uint64_t index, Operation, std::uint64_t object, std::int32_t result, const Caller&,
                 std::uint64_t object2);

// An operation completed: number it, advance time, tell xbdbg if it listens.
[[gnu::always_inline]] inline void event(Operation operation, std::uint64_t object, std::int32_t result,
                                         const Caller& caller, std::uint64_t object2 = 0) {
  constexpr std::uint64_t kEventNs = 100;
  rt.clock.advance(kEventNs);
  std::atomic<std::uint64_t>& events = rt.arena->status.events;
  std::uint64_t index = events.load(std::memory_order_relaxed);
  events.store(index + 1, std::memory_order_relaxed);
  if (__builtin_expect(rt.listened_to, 0)) write_event(index, operation, object, result, caller, object2);
}

// A number that comes from outside: what `look` returns, or returned when it was recorded.
template <class F>
std::uint64_t observed(F look) {
  if (!rt.journal.active()) return look();
  return rt.journal.value(rt.journal.replaying() ? 0 : look());
}

// At a cancellation point of our own: unwinds when the thread was cancelled and allows it.
void test_cancel();

// Which locks the current thread holds (held.cc). The one taken last is mostly the first to go.
inline void hold(std::uint64_t object, Operation operation, const Caller& caller) {
  ThreadView& v = *self().view;
  if (v.held_count < kMaxHeld) v.held[v.held_count] = {object, caller.pc, operation, {}};
  v.held_count++;
}
void unhold_any(std::uint64_t object);
inline void unhold(std::uint64_t object) {
  ThreadView& v = *self().view;
  std::uint32_t last = v.held_count - 1;
  if (last < kMaxHeld && v.held[last].object == object)
    v.held_count = last;
  else
    unhold_any(object);
}

// The agent cannot go on: says why (%s: const char*; %d, %x: std::uint64_t), stops the process for xbdbg to see.
// Never returns.
[[noreturn]] void fail(const char* format, ...);
[[noreturn]] void stop_for_xbdbg(State);

template <class T>
std::uint64_t address(const T* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

}  // namespace xbdbg::agent
