// tracer/agent/journal_format.h — the journal: everything an execution took from outside, in the order in which it
// was taken, and what the program did in between, so that a replay can be compared with it.
//
// Recording, the agent writes these records to the stream's ring (protocol.h), and xbdbg puts the bytes as they are
// into the trace. Replaying, xbdbg hands the same bytes back in the arena, and the agent takes from them what it
// would otherwise ask the kernel for. Records follow each other without gaps or padding, little endian, unaligned;
// each begins with its type, and its size follows from its fixed part (journal_record_size).
//
// What is *not* in it, because the agent computes it again: whatever follows from the program and from these inputs:
// results of locks, virtual time between two readings of the clock, which thread is ready.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/agent/protocol.h"

namespace xbdbg::agent {

enum class JournalType : std::uint8_t {
  start = 1,   // the agent takes over, in the first program and after each exec
  event,       // an operation completed (compared on replay)
  thread,      // another thread runs from here on (compared)
  call,        // the program made a system call (compared)
  kernel,      // what the kernel answered to the agent, with the memory it wrote
  value,       // one number observed outside: a clock, a property of a mapping
  choice,      // an answer that differs from what the policy `first` would have said
  signal,      // an asynchronous signal arrived
  preemption,  // a thread was found spinning
  output,      // bytes written to the program's standard output or error
  state_hash,  // of globals, heap and live stacks, at the end (compared)
  fault,       // a synchronous signal that the program does not handle ends it (compared)
};

#pragma pack(push, 1)

struct JournalStart {
  JournalType type;
  std::uint8_t reserved[3];
  std::uint32_t image;  // 0: the program xbdbg started; 1, 2, ...: after an exec
  std::int32_t pid;
  std::int32_t parent_pid;
  std::uint64_t realtime_ns, monotonic_ns, boottime_ns, tai_ns;  // clocks at the start of the program
};

// 16 bytes: there is one for each lock and unlock. (Addresses of a program have 47 bits.) The thread is that of the
// last JournalThread (0 at the start).
struct JournalEvent {
  JournalType type;
  Operation operation;
  std::int16_t result;  // saturated
  std::uint64_t object : 48;
  std::uint64_t pc : 48;
};
static_assert(sizeof(JournalEvent) == 16);

struct JournalThread {
  JournalType type;
  std::uint8_t reserved[3];
  std::uint32_t index;
};

struct JournalCall {
  JournalType type;
  std::uint8_t reserved;
  std::uint16_t number;
  std::uint32_t reserved2;
  std::uint64_t pc;
  std::uint64_t args[6];
};

// Followed by `bytes` bytes: JournalWrite and its data, again and again. A long answer is spread over several
// records.
struct JournalKernel {
  JournalType type;
  std::uint8_t flags;
  std::uint16_t number;
  std::uint32_t bytes;
  std::int64_t result;
};

inline constexpr std::uint16_t kOutside = 0xffff;  // as `number`: no call; another process wrote to shared memory,
                                                   // and `result` is the number of the place where it was seen
inline constexpr std::uint8_t kHasMapping = 1;     // a JournalMapping comes first
inline constexpr std::uint8_t kContinued = 2;      // the next record goes on with the same answer

// Memory that the kernel wrote: `size` bytes follow.
struct JournalWrite {
  std::uint64_t address;
  std::uint32_t size;
};

// A file was mapped: replay maps the copy or reference that the trace keeps under this number.
struct JournalMapping {
  std::uint32_t file;    // index in the trace's list of files; kNoFile: anonymous memory takes its place
  std::uint32_t group;   // shared mappings with the same group > 0 share their memory; 0: private
  std::uint64_t offset;  // in the file
  std::uint64_t size;    // bytes of the mapping
};
inline constexpr std::uint32_t kNoFile = ~std::uint32_t{0};

struct JournalValue {
  JournalType type;
  std::uint8_t reserved[3];
  std::uint64_t value;
};

struct JournalChoice {
  JournalType type;
  ChoiceKind kind;
  std::uint16_t alternatives;
  std::uint32_t chosen;
  std::uint64_t question;  // number of this question among all that were asked
};

struct JournalSignal {
  JournalType type;
  std::uint8_t signo;
  std::uint8_t reserved[2];
  std::uint32_t reserved2;
  std::uint64_t point;     // number of the place, among those where signals are taken in, at which it was
  std::uint8_t info[128];  // siginfo_t
};

struct JournalPreemption {
  JournalType type;
  std::uint8_t forced;  // 1: in the middle of something, which a replay cannot find again
  std::uint8_t reserved[2];
  std::uint32_t reserved2;
  std::uint64_t pc;
  SpinWatch watch;
};

// Followed by the text, `stored` bytes: all of it, or nothing when the program has written so much that only the hash
// (XXH3, 64 bits) is kept.
struct JournalOutput {
  JournalType type;
  std::uint8_t stream;  // 1: standard output, 2: standard error
  std::uint8_t reserved[2];
  std::uint32_t stored;
  std::uint64_t written;
  std::uint64_t hash;
};

struct JournalStateHash {
  JournalType type;
  std::uint8_t reserved[3];
  std::uint64_t hash;
};

struct JournalFault {
  JournalType type;
  std::uint8_t signo;
  std::uint8_t reserved[2];
  std::uint64_t pc;
  std::uint64_t address;
};

#pragma pack(pop)

inline constexpr std::uint32_t kMaxJournalRecord = 64u << 20;  // anything longer is damage

// The size of the record at `data`, of which `available` bytes are there: 0: more are needed to tell; ~0: no record.
inline std::uint64_t journal_record_size(const void* data, std::uint64_t available) {
  constexpr std::uint64_t kBroken = ~std::uint64_t{0};
  if (available == 0) return 0;
  auto counted = [&](std::uint64_t fixed, std::uint64_t count_offset) -> std::uint64_t {
    if (available < fixed) return 0;
    std::uint32_t bytes;
    std::memcpy(&bytes, static_cast<const char*>(data) + count_offset, sizeof bytes);
    return bytes > kMaxJournalRecord ? kBroken : fixed + bytes;
  };
  switch (static_cast<JournalType>(*static_cast<const std::uint8_t*>(data))) {
    case JournalType::start:
      return sizeof(JournalStart);
    case JournalType::event:
      return sizeof(JournalEvent);
    case JournalType::thread:
      return sizeof(JournalThread);
    case JournalType::call:
      return sizeof(JournalCall);
    case JournalType::kernel:
      return counted(sizeof(JournalKernel), offsetof(JournalKernel, bytes));
    case JournalType::value:
      return sizeof(JournalValue);
    case JournalType::choice:
      return sizeof(JournalChoice);
    case JournalType::signal:
      return sizeof(JournalSignal);
    case JournalType::preemption:
      return sizeof(JournalPreemption);
    case JournalType::output:
      return counted(sizeof(JournalOutput), offsetof(JournalOutput, stored));
    case JournalType::state_hash:
      return sizeof(JournalStateHash);
    case JournalType::fault:
      return sizeof(JournalFault);
  }
  return kBroken;
}

}  // namespace xbdbg::agent
