// replay/journal_reader.h — the records of a journal, one after the other, as typed values.
//
// The bytes are hostile: every size, count and enumerator is checked, and an Error names the offset and the field.
// Records are copied out of the bytes; spans in them point into the bytes, which must outlive them.
//
//   JournalCursor cursor(journal);
//   while (true) {
//     XB_TRY(const bool there, cursor.next());
//     if (!there) break;
//     std::visit(Overloaded{[&](const agent::JournalEvent& e) {...}, /* all of them */}, cursor.entry().body);
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "tracer/agent/journal_format.h"
#include "tracer/base/ids.h"
#include "tracer/base/result.h"

namespace xbdbg {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 needs this line

struct MemoryWrite {
  Addr address{};
  std::span<const std::byte> bytes{};
};

// JournalKernel with what follows it. `writes` was checked; KernelWrites walks over it.
struct KernelAnswer {
  agent::JournalKernel fixed{};
  std::optional<agent::JournalMapping> mapping{};
  std::span<const std::byte> writes{};
};

// for (KernelWrites w(answer); auto write = w.next();) ...
class KernelWrites {
 public:
  explicit KernelWrites(const KernelAnswer& answer) : rest_(answer.writes) {}
  std::optional<MemoryWrite> next();

 private:
  std::span<const std::byte> rest_;
};

// JournalOutput with the text that follows it: all of it, or nothing when only its hash was kept.
struct OutputBytes {
  agent::JournalOutput fixed{};
  std::span<const std::byte> bytes{};
};

// JournalPreemption, with its long list left where it is: records are copied around by the million.
struct Preempted {
  bool forced = false;         // in the middle of something, which a replay cannot find again
  bool shared_memory = false;  // another process may change the words, too
  Addr pc{};
  std::span<const std::byte> words{};  // those that the thread waited for: agent::WatchedWord
  std::size_t count() const { return words.size() / sizeof(agent::WatchedWord); }
  agent::WatchedWord word(std::size_t i) const;
};

using JournalRecord = std::variant<agent::JournalStart, agent::JournalEvent, agent::JournalThread, agent::JournalCall,
                                   KernelAnswer, agent::JournalValue, agent::JournalChoice, agent::JournalSignal,
                                   Preempted, OutputBytes, agent::JournalStateHash, agent::JournalFault>;

struct JournalEntry {
  std::uint64_t offset = 0;  // of the record in the journal
  std::uint64_t size = 0;    // of the whole record
  std::uint64_t index = 0;   // number of the record, from 0
  EventIndex event{};        // events before this record: an event's own number
  ThreadIndex thread{};      // that runs: for JournalThread, the one that goes on from here
  std::uint32_t image = 0;   // JournalStart::image of the last start
  JournalRecord body{};
};

class JournalCursor {
 public:
  explicit JournalCursor(std::span<const std::byte> journal) : journal_(journal) {}

  // Goes to the next record. False at the end of the journal; an Error where there is no whole, valid record. After
  // an error or the end the cursor stays where it is.
  Result<bool> next();

  const JournalEntry& entry() const { return entry_; }  // after next() returned true
  std::uint64_t offset() const { return offset_; }      // of the record that next() will read

 private:
  std::span<const std::byte> journal_;
  JournalEntry entry_{};
  std::uint64_t offset_ = 0;
  std::uint64_t index_ = 0;
  std::uint64_t events_ = 0;
  std::uint32_t thread_ = 0;
  std::uint32_t image_ = 0;
};

// One record out of `bytes`, which start with it (JournalEntry has its size; index, event and thread are not known).
// `offset` is for errors.
Result<JournalEntry> decode_record(std::span<const std::byte> bytes, std::uint64_t offset);

// How many bytes at the beginning of `journal` are whole records, when the last one may have been cut off. Only sizes
// are looked at; from something that is no record on, everything counts, so that reading it gives the error.
std::uint64_t whole_records(std::span<const std::byte> journal);

}  // namespace xbdbg
