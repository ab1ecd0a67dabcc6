#include "tracer/agent/journal.h"

#include <errno.h>
#include <string.h>

#include "tracer/agent/outputs.h"
#include "tracer/agent/ring.h"
#include "tracer/agent/runtime.h"
#include "tracer/agent/state_hash.h"
#include "tracer/agent/stream.h"
#include "tracer/agent/syscall_table.h"

namespace xbdbg::agent {

void Journal::init(Arena* arena) {
  arena_ = arena;
  mode_ = arena->config.mode;
  begin_ = arena->journal();
  at_ = begin_ + arena->status.journal_offset;  // > 0 after an exec
  end_ = begin_ + arena->config.journal_bytes;
}

// ---------------------------------------------------------------------------------------------------------------
// Taking from the journal.

void Journal::want(std::uint64_t bytes) {
  if (static_cast<std::uint64_t>(end_ - at_) < bytes) stop_for_xbdbg(State::journal_ended);
}

void Journal::advance(std::uint64_t bytes) {
  at_ += bytes;
  arena_->status.journal_offset = static_cast<std::uint64_t>(at_ - begin_);
}

void Journal::diverge(const void* actual, std::uint32_t bytes) {
  Divergence& d = arena_->status.divergence;
  d.offset = static_cast<std::uint64_t>(at_ - begin_);
  d.actual_bytes = bytes < kDivergentBytes ? bytes : kDivergentBytes;
  memcpy(d.actual, actual, d.actual_bytes);
  stop_for_xbdbg(State::diverged);
}

template <class Record>
Record Journal::take(JournalType type, const void* actual, std::uint32_t actual_bytes) {
  want(1);
  if (!next_is(type)) diverge(actual, actual_bytes);
  want(sizeof(Record));
  Record r;
  memcpy(&r, at_, sizeof r);
  return r;
}

template <class Record>
void Journal::write_or_compare(const Record& actual) {
  if (recording()) {
    ring_append(actual);
    return;
  }
  Record expected = take<Record>(actual.type, &actual, sizeof actual);
  if (memcmp(&expected, &actual, sizeof actual) != 0) diverge(&actual, sizeof actual);
  advance(sizeof actual);
}

// ---------------------------------------------------------------------------------------------------------------
// What the program did.

static constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;

void Journal::event(Operation operation, std::uint64_t object, std::int32_t result, std::uint64_t pc) {
  auto bounded = static_cast<std::int16_t>(result > 32767 ? 32767 : result < -32768 ? -32768 : result);
  write_or_compare(JournalEvent{JournalType::event, operation, bounded, object & kAddress, pc & kAddress});
}

// Registers behind the last argument hold what the agent or libc left there, and so may optional ones.
void Journal::call(const Call& c) {
  JournalCall r{JournalType::call, 0, static_cast<std::uint16_t>(c.number), 0, c.caller.pc, {}};
  memcpy(r.args, c.args, syscall_info(c.number).required_count * sizeof r.args[0]);
  write_or_compare(r);
}

void Journal::thread(std::uint32_t index) { write_or_compare(JournalThread{JournalType::thread, {}, index}); }

void Journal::fault(int signo, std::uint64_t pc, std::uint64_t address) {
  write_or_compare(JournalFault{JournalType::fault, static_cast<std::uint8_t>(signo), {}, pc, address});
}

void Journal::state_hash(std::uint64_t hash) {
  write_or_compare(JournalStateHash{JournalType::state_hash, {}, hash});
}

// What was written is in the pieces, one behind the other.
void Journal::output(int stream, const iovec* pieces, int count, std::uint64_t written) {
  constexpr std::uint64_t kStoredAtMost = 4u << 20;  // per execution; the rest is only compared
  std::uint64_t hash = 0, left = written;
  for (int i = 0; i < count && left > 0; i++) {
    std::uint64_t n = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    hash = hash_bytes(pieces[i].iov_base, n, hash);
    left -= n;
  }
  JournalOutput r{JournalType::output, static_cast<std::uint8_t>(stream), {}, 0, written, hash};
  if (output_stored_ + written <= kStoredAtMost) r.stored = static_cast<std::uint32_t>(written);
  output_stored_ += r.stored;
  if (replaying()) {
    write_or_compare(r);
    want(r.stored);
    advance(r.stored);
    return;
  }
  std::uint64_t at = ring_reserve(sizeof r + r.stored), end = at + sizeof r;
  ring_put(at, &r, sizeof r);
  left = r.stored;
  for (int i = 0; i < count && left > 0; i++) {
    std::uint64_t n = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    ring_put(end, pieces[i].iov_base, n);
    end += n;
    left -= n;
  }
  ring_publish(end);
}

// ---------------------------------------------------------------------------------------------------------------
// What came from outside.

namespace {

// The areas that one call wrote; a vector of buffers is the longest list there is.
struct Areas {
  static constexpr int kMax = 1100;
  iovec list[kMax];
  int count;
};
Areas areas;

void add_area(void*, const void* address, std::uint64_t size) {
  if (size == 0) return;
  if (areas.count == Areas::kMax) fail("a system call wrote to more than %d places", std::uint64_t{Areas::kMax});
  areas.list[areas.count++] = {const_cast<void*>(address), size};
}

}  // namespace

static long ask_kernel(long number, const long* a) { return xb_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]); }

long Journal::kernel(long number, const long* args) {
  if (replaying()) return take_answer(number);
  const SyscallInfo& info = syscall_info(number);
  OutputLimits limits = limits_before(info, args, ask_kernel);
  long r = ask_kernel(number, args);
  if (r >= 0 && !outputs_known(info, args))
    fail("%s(%x, %x) is not known well enough to be recorded: what it writes is not in the table", info.name,
         static_cast<std::uint64_t>(args[0]), static_cast<std::uint64_t>(args[1]));
  areas.count = 0;
  for_each_output(info, args, r, limits, add_area, nullptr);
  write_answer(number, r, areas.list, areas.count, nullptr);
  return r;
}

void Journal::made(const Call& c, long result, const iovec* more, int count) {
  const SyscallInfo& info = syscall_info(c.number);
  areas.count = 0;
  for_each_output(info, c.args, result, limits_before(info, c.args, ask_kernel), add_area, nullptr);
  for (int i = 0; i < count; i++) add_area(nullptr, more[i].iov_base, more[i].iov_len);
  write_answer(c.number, result, areas.list, areas.count, nullptr);
}

void Journal::write_piece(std::uint64_t number, long result, std::uint8_t flags, const JournalMapping* mapping,
                          const void* address, const void* content, std::uint32_t bytes) {
  JournalKernel r{JournalType::kernel, flags, static_cast<std::uint16_t>(number), 0, result};
  JournalWrite w{reinterpret_cast<std::uint64_t>(address), bytes};
  if (mapping) r.bytes += sizeof *mapping;
  if (address) r.bytes += static_cast<std::uint32_t>(sizeof w + bytes);
  std::uint64_t at = ring_reserve(sizeof r + r.bytes), end = at;
  auto put = [&](const void* part, std::uint64_t size) {
    ring_put(end, part, size);
    end += size;
  };
  put(&r, sizeof r);
  if (mapping) put(mapping, sizeof *mapping);
  if (address) {
    put(&w, sizeof w);
    put(content, bytes);
  }
  ring_publish(end);
}

// One record for each area, and none of them long: the ring is not that large.
void Journal::write_answer(long number, long result, const iovec* memory, int count, const JournalMapping* mapping) {
  constexpr std::uint64_t kPiece = 256u << 10;
  auto n = static_cast<std::uint64_t>(number);
  if (mapping || count == 0)
    write_piece(n, result, static_cast<std::uint8_t>((mapping ? kHasMapping : 0) | (count ? kContinued : 0)), mapping,
                nullptr, nullptr, 0);
  for (int i = 0; i < count; i++) {
    const char* from = static_cast<const char*>(memory[i].iov_base);
    for (std::uint64_t left = memory[i].iov_len; left > 0;) {
      std::uint64_t piece = left < kPiece ? left : kPiece;
      bool last = piece == left && i == count - 1;
      write_piece(n, result, last ? 0 : kContinued, nullptr, from, from, static_cast<std::uint32_t>(piece));
      from += piece;
      left -= piece;
    }
  }
}

long Journal::take_answer(long number, JournalMapping* mapping) {
  JournalKernel actual{JournalType::kernel, 0, static_cast<std::uint16_t>(number), 0, 0};
  if (at_ == end_ && self().call && self().call->number == number) rt.output_fds.unanswered(*self().call);
  for (;;) {
    auto r = take<JournalKernel>(JournalType::kernel, &actual, sizeof actual);
    if (r.number != actual.number) diverge(&actual, sizeof actual);
    want(sizeof r + r.bytes);
    const std::uint8_t *p = at_ + sizeof r, *end = p + r.bytes;
    if (r.flags & kHasMapping) {
      if (mapping && p + sizeof *mapping <= end) memcpy(mapping, p, sizeof *mapping);
      p += sizeof(JournalMapping);
    }
    while (p + sizeof(JournalWrite) <= end) {
      JournalWrite w;
      memcpy(&w, p, sizeof w);
      p += sizeof w;
      if (w.size > static_cast<std::uint64_t>(end - p)) diverge(&actual, sizeof actual);
      void* to = reinterpret_cast<void*>(w.address);
      if (memcmp(to, p, w.size) != 0)
        memcpy(to, p, w.size);  // an area can be larger than what was written: read-only
      applying_ = false;
      p += w.size;
    }
    advance(sizeof r + r.bytes);
    if ((r.flags & kContinued) == 0) return r.result;
  }
}

long Journal::result(long number, long result) {
  JournalKernel actual{JournalType::kernel, 0, static_cast<std::uint16_t>(number), 0, result};
  write_or_compare(actual);
  return result;
}

std::uint64_t Journal::value(std::uint64_t observed) {
  JournalValue actual{JournalType::value, {}, observed};
  if (recording()) {
    ring_append(actual);
    return observed;
  }
  auto r = take<JournalValue>(JournalType::value, &actual, sizeof actual);
  advance(sizeof r);
  return r.value;
}

void Journal::start(JournalStart& s) {
  if (recording()) {
    ring_append(s);
    return;
  }
  s = take<JournalStart>(JournalType::start, &s, sizeof s);
  advance(sizeof s);
}

// ---------------------------------------------------------------------------------------------------------------
// Choices, signals, preemptions: rare, and not where something is asked. They carry the number of the place.

void Journal::choice(const Question& q, std::uint64_t question, std::uint32_t chosen) {
  auto alternatives = static_cast<std::uint16_t>(q.count < 65535 ? q.count : 65535);
  ring_append(JournalChoice{JournalType::choice, q.kind, alternatives, chosen, question});
}

std::int64_t Journal::take_choice(const Question& q, std::uint64_t question) {
  if (!next_is(JournalType::choice)) return -1;
  want(sizeof(JournalChoice));
  JournalChoice r;
  memcpy(&r, at_, sizeof r);
  if (r.question != question) return -1;
  auto alternatives = static_cast<std::uint16_t>(q.count < 65535 ? q.count : 65535);
  for (std::uint32_t i = 0; i < q.count && r.kind == q.kind && r.alternatives == alternatives; i++)
    if (q.candidates[i] == r.chosen) {
      advance(sizeof r);
      return i;
    }
  JournalChoice actual{JournalType::choice, q.kind, alternatives, ~0u, question};
  diverge(&actual, sizeof actual);
}

void Journal::signal(const siginfo_t& info, std::uint64_t point) {
  JournalSignal r{JournalType::signal, static_cast<std::uint8_t>(info.si_signo), {}, 0, point, {}};
  static_assert(sizeof r.info == sizeof info);
  memcpy(r.info, &info, sizeof info);
  ring_append(r);
}

bool Journal::take_signal(std::uint64_t point, siginfo_t* info) {
  if (!next_is(JournalType::signal)) return false;
  want(sizeof(JournalSignal));
  JournalSignal r;
  memcpy(&r, at_, sizeof r);
  if (r.point != point) return false;
  memcpy(info, r.info, sizeof *info);
  advance(sizeof r);
  return true;
}

void Journal::outside_write(std::uint64_t point, const void* address, const void* content, std::uint64_t size) {
  write_piece(kOutside, static_cast<long>(point), 0, nullptr, address, content, static_cast<std::uint32_t>(size));
}

void Journal::take_outside_writes(std::uint64_t point) {
  while (next_is(JournalType::kernel)) {
    want(sizeof(JournalKernel));
    JournalKernel r;
    memcpy(&r, at_, sizeof r);
    if (r.number != kOutside || r.result != static_cast<std::int64_t>(point)) return;
    take_answer(kOutside);
  }
}

void Journal::preemption(const JournalPreemption& r) { ring_append(r); }

bool Journal::take_preemption(JournalPreemption* r) {
  if (!next_is(JournalType::preemption)) return false;
  want(sizeof *r);
  memcpy(r, at_, sizeof *r);
  advance(sizeof *r);
  return true;
}

long ask_world(long number, const long* args) {
  if (rt.journal.active()) return rt.journal.kernel(number, args);
  return ask_kernel(number, args);
}

}  // namespace xbdbg::agent
