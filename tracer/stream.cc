#include "tracer/stream.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

namespace xbdbg {

namespace {

Error malformed(const std::string& what) {
  return Error{Errc::bad_input, "the agent's event stream is malformed: " + what,
               "the program probably wrote through a wild pointer into the memory shared with xbdbg"};
}

template <class Record>
Record copy_of(std::span<const std::byte> bytes) {
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

constexpr std::uint64_t kPieceBytes = 1u << 20;  // after as much the agent may go on

std::size_t rounded_to_8(std::size_t n) { return (n + 7) / 8 * 8; }

}  // namespace

Result<> StreamDecoder::feed(std::span<const std::byte> bytes) {
  if (broken_) return malformed("it was given up before");
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  std::size_t done = 0;
  for (;;) {
    auto size = decode_one(std::span<const std::byte>(pending_).subspan(done));
    if (!size) {
      broken_ = true;
      return std::move(size).error();
    }
    if (*size == 0) break;
    done += *size;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(done));
  return Ok{};
}

Result<> StreamDecoder::finish() const {
  if (pending_.empty() || broken_) return Ok{};
  return malformed("it ends within a record");
}

Result<std::size_t> StreamDecoder::decode_one(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(agent::RecordHeader)) return std::size_t{0};
  const auto header = copy_of<agent::RecordHeader>(bytes);
  const std::size_t largest = sizeof(agent::EventRecord) + rounded_to_8(max_stack_bytes_);
  if (header.size < sizeof header || header.size > largest || header.size % 8 != 0) {
    return malformed("a record of " + std::to_string(header.size) + " bytes");
  }
  if (bytes.size() < header.size) return std::size_t{0};
  const auto record = bytes.first(header.size);
  switch (header.type) {
    case agent::RecordType::event: {
      XB_CHECK(decode_event(record));
      return record.size();
    }
    case agent::RecordType::choice: {
      XB_CHECK(decode_choice(record));
      return record.size();
    }
    case agent::RecordType::name: {
      XB_CHECK(decode_name(record));
      return record.size();
    }
    case agent::RecordType::modules: {
      if (record.size() != sizeof header) return malformed("a change of modules of the wrong size");
      sink_.on_modules_changed();
      return record.size();
    }
  }
  return malformed("a record of unknown type " + std::to_string(static_cast<unsigned>(header.type)));
}

Result<> StreamDecoder::decode_event(std::span<const std::byte> record) {
  if (record.size() < sizeof(agent::EventRecord)) return malformed("an event that is too short");
  const auto event = copy_of<agent::EventRecord>(record);
  const auto behind = record.subspan(sizeof event);
  if (event.stack_bytes > max_stack_bytes_ || behind.size() != rounded_to_8(event.stack_bytes)) {
    return malformed("event " + std::to_string(event.index) + " with " + std::to_string(event.stack_bytes) +
                     " bytes of stack in " + std::to_string(record.size()));
  }
  if (!is_known(event.operation)) return malformed("event " + std::to_string(event.index) + " of unknown operation");
  if (event.index != next_event_) {
    return malformed("event " + std::to_string(event.index) + " where event " + std::to_string(next_event_) +
                     " was expected");
  }
  ++next_event_;
  sink_.on_event(event, behind.first(event.stack_bytes));
  return Ok{};
}

Result<> StreamDecoder::decode_choice(std::span<const std::byte> record) {
  if (record.size() != sizeof(agent::ChoiceRecord)) return malformed("a choice of the wrong size");
  const auto choice = copy_of<agent::ChoiceRecord>(record);
  if (choice.choice.kind > agent::ChoiceKind::timeout || choice.choice.alternatives < 2) {
    return malformed("a choice without alternatives or of unknown kind");
  }
  sink_.on_choice(choice);
  return Ok{};
}

Result<> StreamDecoder::decode_name(std::span<const std::byte> record) {
  if (record.size() != sizeof(agent::NameRecord)) return malformed("a thread name of the wrong size");
  auto name = copy_of<agent::NameRecord>(record);
  name.name[agent::kNameBytes - 1] = 0;
  sink_.on_name(name);
  return Ok{};
}

Result<std::uint64_t> StreamRing::drain(const Taker& taker) {
  const auto ring = arena_.stream_ring();
  const std::uint64_t head = arena_.shared().head.load(std::memory_order_acquire);
  const std::uint64_t available = head - tail_;
  if (available > ring.size()) return malformed("its head is " + std::to_string(head));
  while (tail_ != head) {
    const std::size_t from = tail_ & (ring.size() - 1);
    const std::size_t size = std::min<std::uint64_t>({head - tail_, ring.size() - from, kPieceBytes});
    XB_CHECK(taker(ring.subspan(from, size)));
    advance(size);
  }
  return available;
}

void StreamRing::advance(std::uint64_t bytes) {
  agent::Arena& shared = arena_.shared();
  tail_ += bytes;
  shared.tail.store(tail_, std::memory_order_release);
  shared.tail_futex.fetch_add(1, std::memory_order_release);
  (void)::syscall(SYS_futex, &shared.tail_futex, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

Result<> StreamReader::drain() {
  XB_CHECK(ring_.drain([this](std::span<const std::byte> bytes) { return decoder_.feed(bytes); }));
  return Ok{};
}

}  // namespace xbdbg
