// tracer/agent/thread.h — one thread of the program, and the table of them.
//
// A program thread is a glibc thread in every respect (stack, TLS, pthread_t, cancellation state) but has no kernel
// thread of its own: the agent answers the clone call of pthread_create itself and keeps the registers the thread
// would have started with. The one kernel thread of the process runs every context in turn. See NOTE [No kernel
// threads] in clone.cc.
#pragma once

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <cstdint>

#include "tracer/agent/gate.h"
#include "tracer/agent/protocol.h"

namespace xbdbg::agent {

// Where the program called us: enough for an unwinder to go on from there.
struct Caller {
  std::uint64_t pc, sp, bp;
};

// In a function that the program calls (built with frame pointers): its caller.
#define XB_CALLER()                                                         \
  ::xbdbg::agent::Caller {                                                  \
    reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),           \
        reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 16,   \
        *reinterpret_cast<const std::uint64_t*>(__builtin_frame_address(0)) \
  }

enum class Wake : std::uint8_t {
  none,
  granted,  // what it waited for has happened (or may have: look again)
  timeout,
  interrupted,  // a signal handler ran
  cancelled,    // pthread_cancel: unwind at this cancellation point
};

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

// What a thread waits for outside the process, if anything: only then may the process block for real.
struct ExternalWait {
  enum class Kind : std::uint8_t { none, fds, child, signals, poll_again, shared_futex } kind;
  pollfd* fds;
  std::uint32_t fd_count;
  std::uint64_t signals;
};

struct Call;

struct Thread {
  Context context;
  ThreadView* view;
  std::uint32_t index;
  int tid;
  bool ended;
  bool named;             // view->name was set by the program (to "" perhaps)
  bool cancel_pending;    // pthread_cancel was called: cancellation points look
  bool cancel_disabled;   // pthread_setcancelstate
  std::uint8_t priority;  // > 0: a real-time priority set by the program

  // Blocking. A thread stays queued while a signal handler interrupts its wait.
  bool queued;
  Wake wake;
  std::uint64_t wait_key;
  std::uint64_t wait_frame;  // stack frame of the wait it is queued for
  std::uint32_t futex_bitset;
  Thread* wait_next;
  Thread* wait_prev;
  std::uint64_t deadline;  // virtual nanoseconds; kNever: none
  ExternalWait external;
  SpinWatch spin;  // waiting in Operation::spin_detected: for what

  // Signals.
  std::uint64_t mask;
  stack_t alt_stack;
  bool restart;  // every handler that interrupted the present wait asked for SA_RESTART

  const Call* call;       // the system call it is in
  bool fault_exit_armed;  // a fault in the agent is the program's bad pointer: see answer() in syscalls.cc
  void* fault_exit[5];

  std::uint64_t cpu_start, cpu_used;  // see cpu_time.h

  // What clone was asked for.
  int* clear_tid;
  void* robust_list;
  greg_t start_registers[NGREG];
  int sched_policy;
  int sched_priority;
  std::uint64_t affinity[16];  // as set by the program; all zero: never set

  pthread_t handle() const { return (pthread_t)context.fs_base; }
  // Under which waits queue that concern this thread: its own for the world, and those of joiners.
  std::uint64_t own_key() const { return reinterpret_cast<std::uint64_t>(this); }
  std::uint64_t join_key() const { return reinterpret_cast<std::uint64_t>(&ended); }
  bool blocked() const { return view->state == ThreadState::blocked; }
};

inline constexpr int kFirstTid = 1 << 22;  // above every pid the kernel hands out: T1 is kFirstTid + 1

// All threads that live, or ended and were not joined yet. Slots are reused, indices never.
class ThreadTable {
 public:
  void init(Arena* arena);
  Thread* make();  // nullptr: kMaxThreads are there
  void release(Thread*);
  Thread* main() { return &threads_[0]; }  // also when it has ended
  Thread* by_handle(pthread_t);            // nullptr: none
  Thread* by_tid(int tid);
  Thread* by_clear_tid(std::uint64_t address);
  std::uint32_t live() const { return live_; }
  void one_ended() { live_--; }

  // Calls f(Thread&) for each thread that has not ended, in slot order; stops when f returns true.
  template <class F>
  Thread* find_live(F f) {
    for (std::uint32_t i = 0; i < used_; i++)
      if (threads_[i].view && !threads_[i].ended && f(threads_[i])) return &threads_[i];
    return nullptr;
  }

 private:
  Thread* reclaim_ended();

  Arena* arena_;
  Thread* threads_;  // kMaxThreads, mapped lazily
  std::uint32_t used_, next_index_, live_;
  std::uint32_t free_[kMaxThreads];
  std::uint32_t free_count_;
};

}  // namespace xbdbg::agent
