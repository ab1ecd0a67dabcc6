// tracer/agent/protocol.h — the memory that the agent (in the target) and xbdbg share.
//
// xbdbg makes a memfd, fills in Config (and the schedule to follow), passes its number in $XBDBG_ARENA_FD and maps
// the same pages. Everything here is plain data with fixed layout; both sides are built from this one header, and
// `kProtocolVersion` refuses a mismatch. xbdbg treats what it reads as hostile: the target may have scribbled on it.
//
// Layout of the memfd: Arena, then `stream_bytes` of output stream, then `schedule_count` choices to follow, then (to
// replay) the journal and the list of files: for each file of the trace, in order, the path under which it can be
// mapped, ended by a 0.
//
// xbdbg polls `Status` and the stream while it waits for the target to end, and the agent stops itself with SIGSTOP
// when it needs an answer (State::deadlock, State::failed, State::exec). Recording, a thread of xbdbg's waits at the
// doorbell for the ring to fill and for a Request.
#pragma once

#include <atomic>
#include <cstdint>

namespace xbdbg::agent {

inline constexpr char kArenaFdVariable[] = "XBDBG_ARENA_FD";
inline constexpr std::uint64_t kArenaMagic = 0x3161'6e65'7261'6278;  // "xbarena1"
inline constexpr std::uint32_t kProtocolVersion = 2;

inline constexpr std::uint32_t kMaxThreads = 4096;    // live threads at one time
inline constexpr std::uint32_t kMaxHeld = 32;         // locks remembered per thread (more are held, but not listed)
inline constexpr std::uint32_t kMaxOutputFds = 1024;  // descriptors that are followed to standard output and error
inline constexpr std::uint32_t kNameBytes = 16;       // as pthread_setname_np

// ---------------------------------------------------------------------------------------------------------------
// What xbdbg asks for.

enum class PolicyKind : std::uint32_t { first, round_robin, random, follow };

enum class Mode : std::uint32_t {
  run,     // once, with the world as it is; the stream carries the records below, as far as they are wanted
  record,  // the same, and the stream carries the journal instead (journal_format.h)
  replay,  // nothing is asked of the world: it is all in the journal
};

struct Config {
  Mode mode;
  std::uint32_t
      real_time;  // clocks follow the real ones and sleeping takes time, as recording wants it; else see clock.h
  PolicyKind policy;
  std::uint32_t want_events;   // write EventRecords to the stream
  std::uint32_t want_choices;  // write ChoiceRecords to the stream
  std::uint32_t stack_bytes;   // bytes of stack copied behind each EventRecord (for unwinding), 0: none
  std::uint64_t seed;
  std::uint64_t stream_bytes;    // size of the output stream's ring, a power of two
  std::uint64_t schedule_count;  // choices to follow (PolicyKind::follow); after the last one the policy is `first`
  std::uint32_t follow_every_operation;  // PolicyKind::follow: the schedule was made by a policy that is asked at
                                         // every operation (random, round_robin), not only where a block ends (first)
  std::uint32_t reserved;
  std::uint64_t journal_bytes;  // Mode::replay: size of the journal
  std::uint64_t files_bytes;    // Mode::replay: size of the list of files
};

// ---------------------------------------------------------------------------------------------------------------
// Choices: everything that is not determined by the program itself. A schedule is the list of them.

enum class ChoiceKind : std::uint8_t {
  thread,   // which runnable thread goes on; `chosen` is its ThreadIndex
  waiter,   // which waiter a signal, post or unlock wakes; `chosen` is its ThreadIndex
  timeout,  // does a timed wait expire although other threads could run; `chosen` is 0 (no) or 1 (yes)
};

struct Choice {
  ChoiceKind kind;
  std::uint8_t reserved;
  std::uint16_t alternatives;  // how many there were (65535: that many or more); always > 1
  std::uint32_t chosen;
};
static_assert(sizeof(Choice) == 8);

// ---------------------------------------------------------------------------------------------------------------
// Operations. The list gives the enumerator, and the name that users see in event files and reports.

// (Formatted, the list would nest, and differently each time.)
// clang-format off
#define XB_FOR_EACH_OPERATION(X) \
  X(thread_create) X(thread_start) X(thread_end) X(thread_join) X(thread_detach) X(thread_cancel) X(thread_kill) \
  X(mutex_init) X(mutex_destroy) X(mutex_lock) X(mutex_trylock) X(mutex_timedlock) X(mutex_unlock) \
  X(mutex_consistent) X(rwlock_init) X(rwlock_destroy) X(rwlock_rdlock) X(rwlock_tryrdlock) \
  X(rwlock_timedrdlock) X(rwlock_wrlock) X(rwlock_trywrlock) X(rwlock_timedwrlock) X(rwlock_unlock) \
  X(spin_init) X(spin_destroy) X(spin_lock) X(spin_trylock) X(spin_unlock) \
  X(cond_init) X(cond_destroy) X(cond_wait) X(cond_timedwait) X(cond_wake) X(cond_signal) X(cond_broadcast) \
  X(barrier_init) X(barrier_destroy) X(barrier_wait) X(sem_init) X(sem_destroy) X(sem_wait) X(sem_trywait) \
  X(sem_timedwait) X(sem_post) X(once) X(yield) X(sleep) X(futex_wait) X(futex_wake) \
  X(signal_wait) X(signal_deliver) X(io_wait) X(child_wait) X(spin_detected) \
  X(process_exit)
// clang-format on

enum class Operation : std::uint8_t {
#define XB_ENUMERATOR(name) name,
  XB_FOR_EACH_OPERATION(XB_ENUMERATOR)
#undef XB_ENUMERATOR
};

// ---------------------------------------------------------------------------------------------------------------
// The output stream: a ring of length-prefixed records, written by the agent, drained by xbdbg. `head` and `tail`
// count bytes since the start (they never wrap); a record may wrap around the end of the ring. When the ring is
// full the agent waits for `tail` to move (a shared futex on `tail_futex`, woken by xbdbg after each drain). With
// want_events the agent writes a `modules` record before the first event, and before the first event after a library
// was mapped, and then waits until `tail` has passed it: xbdbg has read /proc/PID/maps by then. A short program would
// otherwise take it with it, and what an address means would depend on when xbdbg looked.

enum class RecordType : std::uint8_t { event, choice, name, modules /* a header only */ };

struct RecordHeader {
  std::uint32_t size;  // of the whole record, header included; a multiple of 8
  RecordType type;
  std::uint8_t reserved[3];
};

struct EventRecord {
  RecordHeader header;
  std::uint64_t index;   // 0, 1, 2, ...: position among the events of this execution
  std::uint32_t thread;  // ThreadIndex of the thread that performed it
  Operation operation;
  std::uint8_t reserved[3];
  std::int32_t result;        // what the call returned (an errno value, or 0)
  std::uint32_t stack_bytes;  // bytes of stack that follow this struct, from `sp` upwards
  std::uint64_t object;       // address of the object; for thread operations the other thread's ThreadIndex
  std::uint64_t object2;      // cond_wait: the mutex; otherwise 0
  std::uint64_t pc;           // return address of the call into the agent (the program or library that called)
  std::uint64_t sp;           // stack pointer just after that return
  std::uint64_t bp;           // frame pointer there: what an unwinder needs to go on from pc
};
static_assert(sizeof(EventRecord) % 8 == 0);

struct ChoiceRecord {
  RecordHeader header;
  std::uint64_t event_index;  // events completed before the choice
  Choice choice;
};

// The thread got a name (written only with want_events).
struct NameRecord {
  RecordHeader header;
  std::uint32_t thread;  // ThreadIndex
  std::uint32_t reserved;
  char name[kNameBytes];
};

// ---------------------------------------------------------------------------------------------------------------
// Threads, as xbdbg sees them. A slot is reused after the thread was joined; `index` is never reused.

enum class ThreadState : std::uint8_t { free, ready, blocked, ended };

struct HeldLock {
  std::uint64_t object;
  std::uint64_t pc;     // where it was acquired (return address)
  Operation operation;  // with which operation
  std::uint8_t reserved[7];
};

struct ThreadView {
  ThreadState state;
  Operation waiting_in;  // state == blocked: the operation it waits in
  std::uint8_t detached;
  std::uint8_t reserved;
  std::uint32_t index;
  char name[kNameBytes];      // "" unless set with pthread_setname_np / prctl
  std::uint64_t waiting_for;  // object address; thread_join: the other thread's index; io_wait: fd; sleep: 0
  std::uint64_t waiting_pc;   // where it entered the operation it is (or was last) in: return address,
  std::uint64_t waiting_sp;   // stack pointer just after that return,
  std::uint64_t waiting_bp;   // frame pointer there
  std::uint64_t deadline_ns;  // virtual CLOCK_MONOTONIC; ~0: none
  std::uint64_t created_pc;   // return address of the pthread_create that made it (0: main)
  std::uint32_t created_by;   // ThreadIndex
  std::uint32_t held_count;   // may exceed kMaxHeld
  HeldLock held[kMaxHeld];
};

// ---------------------------------------------------------------------------------------------------------------
// What the agent reports.

enum class State : std::uint32_t {
  launching,    // set by xbdbg; still there after exec and a normal exit: the agent was never loaded
  running,      // set by the agent when it has taken over
  deadlock,     // no thread can ever run again; the process has stopped itself with SIGSTOP and waits to be killed
  no_progress,  // the same, and some thread does not wait in a call but in a loop (ThreadView: spin_detected)
  failed,    // the agent cannot go on (unmodelled operation, schedule mismatch, ...): `message` says why; stopped too
  ended,     // the program ends (exit, _exit, last thread); the process goes away by itself
  exec,      // stopped, in execve (Arena::exec): trace it, continue it, and prepare the new program
  diverged,  // replay: what the program does is not what the journal says (Status::divergence); stopped
  journal_ended,  // replay: the recording ends here, where the program was killed or the recording cut off; stopped
};

// What a loop waits for: while all these bytes have these values, another turn of it changes nothing.
inline constexpr std::uint32_t kMaxWatchedWords = 32;

struct WatchedWord {
  std::uint64_t address;
  std::uint64_t value;  // little endian, the upper bytes 0
  std::uint32_t bytes;  // 1..8
  std::uint32_t reserved;
};

struct SpinWatch {
  std::uint32_t count;
  std::uint32_t shared_memory;  // another process may change them, too
  WatchedWord words[kMaxWatchedWords];
};

// xbdbg writes it while it has the target stopped, and sends SIGSYS then. See preempt.h.
enum class PreemptRequest : std::uint32_t {
  none,
  spin,    // the thread is in a loop that waits for `watch` to change
  forced,  // the thread did nothing visible for so long that others get a turn
};

struct Preemption {
  std::atomic<PreemptRequest> request;
  std::uint32_t reserved;
  SpinWatch watch;
};

// Replay: the record that the agent would have written, beside the one in the journal at this offset.
inline constexpr std::uint32_t kDivergentBytes = 256;

struct Divergence {
  std::uint64_t offset;                  // of the record in the journal that does not fit
  std::uint32_t actual_bytes;            // 0: `message` says all
  std::uint8_t actual[kDivergentBytes];  // the fixed part of a record (journal_format.h)
};

// Recording: something only xbdbg can do, while the agent waits.
enum class RequestKind : std::uint32_t {
  none,
  keep_file,  // the descriptor args[0] (or, if it is -1, the file at `text`) is mapped: keep it in the trace, and say
              // under which number. args[1]: 1: a module, kept by reference; 0: the content may change, keep a copy.
  modules,    // modules were mapped: read /proc/PID/maps
};

struct Request {
  std::atomic<std::uint32_t> state;  // 0: none, 1: asked, 2: answered; a futex
  RequestKind kind;
  std::int64_t args[4];
  std::int64_t answer;  // keep_file: the file's number, or -1: `text` says why not
  char text[4096];      // a path, ended by 0
};

// The program's execve. The agent stops with State::exec and phase `asked`; xbdbg seizes the process, decides, and
// continues it. See tracer/agent/exec.cc and tracer/follow_exec.cc.
enum class ExecPhase : std::uint32_t {
  none,
  asked,   // `number` and `args` are the program's call
  as_is,   // make that call: it will fail, or the new program cannot be followed
  follow,  // xbdbg has changed the call so that the new program gets the agent; first give it the descriptors
  failed,  // the call returned; the process stops once more, for xbdbg to let go of it
};

struct ExecRequest {
  std::atomic<ExecPhase> phase;
  std::uint32_t as_recorded;  // replay: first set the two numbers, and enter `folder`
  std::int64_t number;        // SYS_execve, SYS_execveat
  std::uint64_t args[6];
  std::uint64_t scratch, scratch_bytes;  // memory in the target for xbdbg to put strings into
  std::uint64_t personality, stack_limit;
  char folder[256];
  // Set by the launcher: the numbers of the descriptors in a program that starts, and where to open them again.
  std::int32_t arena_fd, agent_fd;
  char arena_path[64], agent_path[64];
};

// What the next program in this process takes over, besides what the kernel passes on.
struct Heritage {
  std::uint64_t now_ns, realtime_ns, monotonic_ns, boottime_ns, tai_ns;  // Clock
  std::uint64_t alarm_left_ns;                                           // ITIMER_REAL; ~0: not armed
  std::uint64_t alarm_interval_ns;
  std::uint32_t children;
  std::uint32_t reserved;
  std::uint8_t output_streams[kMaxOutputFds];  // by descriptor: 1, 2: it leads to what was standard output, error
};

struct Status {
  std::atomic<State> state;
  std::atomic<std::uint32_t> current_slot;  // slot in `threads` of the running thread
  std::atomic<std::uint64_t> events;        // completed so far
  std::atomic<std::uint64_t> choices;       // made so far
  std::atomic<std::uint32_t> timers_armed;  // alarm, setitimer or timer_create: time has something to do
  std::uint32_t reserved;
  std::uint64_t failed_step;  // State::failed by a schedule mismatch: the number of the choice, from 0;
                              // else ~0
  char message[1024];         // State::failed, State::diverged
  Preemption preemption;
  Divergence divergence;         // State::diverged
  std::uint64_t journal_offset;  // replay: how far the journal was taken
  std::uint32_t images;          // programs that ran in this process before this one: > 0 after an exec
};

struct Arena {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t arena_bytes;  // sizeof(Arena)
  Config config;
  Status status;
  std::atomic<std::uint64_t> head;
  std::atomic<std::uint64_t> tail;
  std::atomic<std::uint32_t> tail_futex;
  std::atomic<std::uint32_t> doorbell;      // a futex: the agent counts it up when the reader should look
  std::atomic<std::uint32_t> reader_waits;  // 1: it waits at the doorbell, wake it
  Request request;
  ExecRequest exec;
  Heritage heritage;
  std::atomic<std::uint32_t> threads_used;  // slots of `threads` that were ever used
  ThreadView threads[kMaxThreads];

  std::uint8_t* stream() { return reinterpret_cast<std::uint8_t*>(this + 1); }
  Choice* schedule() { return reinterpret_cast<Choice*>(stream() + config.stream_bytes); }
  std::uint8_t* journal() { return reinterpret_cast<std::uint8_t*>(schedule() + config.schedule_count); }
  char* files() { return reinterpret_cast<char*>(journal() + config.journal_bytes); }
  std::uint64_t bytes() const {
    return sizeof *this + config.stream_bytes + config.schedule_count * sizeof(Choice) + config.journal_bytes +
           config.files_bytes;
  }
};

}  // namespace xbdbg::agent
