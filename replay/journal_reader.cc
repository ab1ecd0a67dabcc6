#include "replay/journal_reader.h"

#include <fmt/format.h>

#include <cstring>

namespace xbdbg {

namespace {

constexpr std::uint64_t kNoRecord = ~std::uint64_t{0};
constexpr int kMaxSignal = 64;

// The operations are numbered from 0 without gaps.
constexpr std::size_t kOperations = 0
#define XB_COUNT(name) +1
    XB_FOR_EACH_OPERATION(XB_COUNT)
#undef XB_COUNT
    ;

// Decodes one record, whose size is known to be there, into `out`: in place, as a journal has millions of them.
class Decoder {
 public:
  Decoder(std::span<const std::byte> bytes, std::uint64_t offset, JournalRecord& out)
      : bytes_(bytes), offset_(offset), out_(out) {}

  Result<> decode() {
    switch (static_cast<agent::JournalType>(bytes_[0])) {
      case agent::JournalType::start:
        return plain<agent::JournalStart>();
      case agent::JournalType::event:
        return event();
      case agent::JournalType::thread:
        return plain<agent::JournalThread>();
      case agent::JournalType::call:
        return plain<agent::JournalCall>();
      case agent::JournalType::kernel:
        return kernel();
      case agent::JournalType::value:
        return plain<agent::JournalValue>();
      case agent::JournalType::choice:
        return choice();
      case agent::JournalType::signal:
        return signal();
      case agent::JournalType::preemption:
        return preemption();
      case agent::JournalType::output:
        return output();
      case agent::JournalType::state_hash:
        return plain<agent::JournalStateHash>();
      case agent::JournalType::fault:
        return fault();
    }
    return bad("type", 0, fmt::format("unknown record type {}", std::to_integer<int>(bytes_[0])));
  }

 private:
  template <class T>
  T fixed(std::size_t at = 0) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  // A record of which every content is possible.
  template <class T>
  Result<> plain() {
    out_.emplace<T>(fixed<T>());
    return Ok{};
  }

  Error bad(std::string_view field, std::size_t at, std::string_view problem) const {
    return Error{Errc::bad_input, fmt::format("journal: {} at offset {}: {}", field, offset_ + at, problem),
                 "the trace is damaged, or was written by another version of xbdbg"};
  }

  Result<> check_signal(int signo, std::size_t at) const {
    if (signo >= 1 && signo <= kMaxSignal) return Ok{};
    return bad("signo", at, fmt::format("{} is no signal", signo));
  }

  Result<> event() {
    const auto record = fixed<agent::JournalEvent>();
    const auto operation = static_cast<std::size_t>(record.operation);
    if (operation >= kOperations) {
      return bad("event.operation", offsetof(agent::JournalEvent, operation), fmt::format("unknown: {}", operation));
    }
    out_ = record;
    return Ok{};
  }

  Result<> choice() {
    const auto record = fixed<agent::JournalChoice>();
    if (record.kind > agent::ChoiceKind::timeout) {
      return bad("choice.kind", offsetof(agent::JournalChoice, kind),
                 fmt::format("unknown: {}", static_cast<int>(record.kind)));
    }
    out_ = record;
    return Ok{};
  }

  Result<> signal() {
    const auto record = fixed<agent::JournalSignal>();
    XB_CHECK(check_signal(record.signo, offsetof(agent::JournalSignal, signo)));
    out_ = record;
    return Ok{};
  }

  Result<> fault() {
    const auto record = fixed<agent::JournalFault>();
    XB_CHECK(check_signal(record.signo, offsetof(agent::JournalFault, signo)));
    out_ = record;
    return Ok{};
  }

  Result<> preemption() {
    const auto record = fixed<agent::JournalPreemption>();
    const std::uint32_t count = record.watch.count;
    constexpr std::size_t kAt = offsetof(agent::JournalPreemption, watch);
    if (count > agent::kMaxWatchedWords) return bad("preemption.watch.count", kAt, fmt::format("{} words", count));
    Preempted preempted{
        .forced = record.forced != 0, .shared_memory = record.watch.shared_memory != 0, .pc = Addr(record.pc)};
    preempted.words = bytes_.subspan(kAt + offsetof(agent::SpinWatch, words), count * sizeof(agent::WatchedWord));
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t bytes = preempted.word(i).bytes;
      if (bytes < 1 || bytes > 8) return bad("preemption.watch.bytes", kAt, fmt::format("a word of {} bytes", bytes));
    }
    out_ = preempted;
    return Ok{};
  }

  Result<> output() {
    const auto record = fixed<agent::JournalOutput>();
    if (record.stream != 1 && record.stream != 2) {
      return bad("output.stream", offsetof(agent::JournalOutput, stream),
                 fmt::format("{}, neither standard output nor error", static_cast<int>(record.stream)));
    }
    if (record.stored != 0 && record.stored != record.written) {
      return bad("output.stored", offsetof(agent::JournalOutput, stored),
                 fmt::format("{} bytes of {}", +record.stored, +record.written));
    }
    out_ = OutputBytes{record, bytes_.subspan(sizeof record)};
    return Ok{};
  }

  Result<> kernel() {
    KernelAnswer answer;
    answer.fixed = fixed<agent::JournalKernel>();
    constexpr std::size_t kFlagsAt = offsetof(agent::JournalKernel, flags);
    constexpr unsigned kKnown = agent::kHasMapping | agent::kContinued;
    if ((answer.fixed.flags & ~kKnown) != 0) {
      return bad("kernel.flags", kFlagsAt, fmt::format("unknown: {}", static_cast<int>(answer.fixed.flags)));
    }
    std::size_t at = sizeof answer.fixed;
    if ((answer.fixed.flags & agent::kHasMapping) != 0) {
      if (bytes_.size() - at < sizeof(agent::JournalMapping)) return bad("kernel.mapping", at, "cut off");
      answer.mapping = fixed<agent::JournalMapping>(at);
      at += sizeof(agent::JournalMapping);
    }
    answer.writes = bytes_.subspan(at);
    while (at < bytes_.size()) {
      if (bytes_.size() - at < sizeof(agent::JournalWrite)) return bad("kernel.write", at, "cut off");
      const auto write = fixed<agent::JournalWrite>(at);
      at += sizeof write;
      if (write.size > bytes_.size() - at) {
        return bad("kernel.write.size", at, fmt::format("{} bytes, {} are left", +write.size, bytes_.size() - at));
      }
      at += write.size;
    }
    out_ = answer;
    return Ok{};
  }

  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  JournalRecord& out_;
};

// Fills offset, size and body of the entry.
Result<> decode_into(std::span<const std::byte> bytes, std::uint64_t offset, JournalEntry& entry) {
  const std::uint64_t size = agent::journal_record_size(bytes.data(), bytes.size());
  auto bad = [&](std::string_view field, const std::string& problem) {
    return Error{Errc::bad_input, fmt::format("journal: {} at offset {}: {}", field, offset, problem),
                 "the trace is damaged, or was written by another version of xbdbg"};
  };
  if (size == kNoRecord) {
    return bad("type or size",
               fmt::format("there is no record here (it begins with byte {})", std::to_integer<int>(bytes[0])));
  }
  if (size == 0 || size > bytes.size()) return bad("record", fmt::format("cut off after {} bytes", bytes.size()));
  entry.offset = offset;
  entry.size = size;
  return Decoder(bytes.first(size), offset, entry.body).decode();
}

}  // namespace

agent::WatchedWord Preempted::word(std::size_t i) const {
  agent::WatchedWord word;
  XB_ASSERT(i < count());
  std::memcpy(&word, words.data() + i * sizeof word, sizeof word);
  return word;
}

std::optional<MemoryWrite> KernelWrites::next() {
  if (rest_.empty()) return std::nullopt;
  agent::JournalWrite write;
  XB_ASSERT(rest_.size() >= sizeof write);
  std::memcpy(&write, rest_.data(), sizeof write);
  rest_ = rest_.subspan(sizeof write);
  XB_ASSERT(rest_.size() >= write.size);
  const MemoryWrite out{Addr(write.address), rest_.first(write.size)};
  rest_ = rest_.subspan(write.size);
  return out;
}

Result<JournalEntry> decode_record(std::span<const std::byte> bytes, std::uint64_t offset) {
  JournalEntry entry;
  XB_CHECK(decode_into(bytes, offset, entry));
  return entry;
}

Result<bool> JournalCursor::next() {
  if (offset_ == journal_.size()) return false;
  XB_CHECK(decode_into(journal_.subspan(offset_), offset_, entry_));
  if (const auto* thread = std::get_if<agent::JournalThread>(&entry_.body)) thread_ = thread->index;
  if (const auto* start = std::get_if<agent::JournalStart>(&entry_.body)) {
    image_ = start->image;
    thread_ = 0;
  }
  entry_.index = index_++;
  entry_.event = EventIndex(events_);
  entry_.thread = ThreadIndex(thread_);
  entry_.image = image_;
  if (std::holds_alternative<agent::JournalEvent>(entry_.body)) ++events_;
  offset_ += entry_.size;
  return true;
}

std::uint64_t whole_records(std::span<const std::byte> journal) {
  std::uint64_t at = 0;
  while (at < journal.size()) {
    const std::uint64_t size = agent::journal_record_size(journal.data() + at, journal.size() - at);
    if (size == kNoRecord) return journal.size();
    if (size == 0 || size > journal.size() - at) return at;
    at += size;
  }
  return at;
}

}  // namespace xbdbg
