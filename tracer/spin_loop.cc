#include "tracer/spin_loop.h"

#include <algorithm>
#include <optional>

namespace xbdbg {
namespace {

constexpr std::uint64_t kRedZone = 128;      // below the stack pointer, and still alive
constexpr std::uint64_t kFrameReach = 4096;  // local variables of the looping function, above its stack pointer

using Bytes = std::map<std::uint64_t, std::uint8_t>;

std::uint8_t byte_of(std::uint64_t value, std::size_t i) { return static_cast<std::uint8_t>(value >> (8 * i)); }

void put(Bytes& bytes, const Touch& touch, std::uint64_t value) {
  for (std::size_t i = 0; i < touch.size; ++i) bytes[(touch.address + i).raw()] = byte_of(value, i);
}

std::uint64_t get(const Bytes& bytes, const Touch& touch) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < touch.size; ++i) {
    value |= std::uint64_t{bytes.at((touch.address + i).raw())} << (8 * i);
  }
  return value;
}

// What the bytes touched by these steps were when the first of them began.
Bytes at_start(const std::vector<ExecutedStep>& steps, std::size_t from) {
  Bytes bytes;
  for (std::size_t n = steps.size(); n-- > from;) {
    for (std::size_t i = steps[n].touches.size(); i-- > 0;)
      put(bytes, steps[n].touches[i], steps[n].touches[i].before);
  }
  return bytes;
}

}  // namespace

bool SpinDetector::in_own_frames(const Touch& touch, std::uint64_t sp) const {
  const std::uint64_t address = touch.address.raw();
  return address >= sp - kRedZone && address + touch.size <= sp + kFrameReach;
}

SpinVerdict SpinDetector::feed(const ExecutedStep& step) {
  const auto [at, is_new] = seen_.try_emplace(step.state, steps_.size());
  if (!is_new && memory_recurs(at->second)) {
    describe(at->second);
    return SpinVerdict::spin;
  }
  at->second = steps_.size();
  for (const Touch& touch : step.touches) {
    // A call writes below the stack pointer that it had.
    if (touch.before != touch.after && !in_own_frames(touch, step.state.sp)) return SpinVerdict::no_spin;
  }
  steps_.push_back(step);
  return SpinVerdict::undecided;
}

bool SpinDetector::memory_recurs(std::size_t from) const {
  const Bytes start = at_start(steps_, from);
  Bytes end;
  for (std::size_t n = from; n < steps_.size(); ++n) {
    for (const Touch& touch : steps_[n].touches) put(end, touch, touch.after);
  }
  return start == end;
}

// The resting state is in the outermost frame of the loop, where as little as possible of the stack is alive.
void SpinDetector::describe(std::size_t from) {
  std::size_t resting = from;
  std::uint64_t lowest_sp = steps_[from].state.sp, low = steps_[from].state.pc, high = low;
  for (std::size_t n = from; n < steps_.size(); ++n) {
    const CpuState &state = steps_[n].state, &best = steps_[resting].state;
    if (state.sp > best.sp || (state.sp == best.sp && state < best)) resting = n;
    lowest_sp = std::min(lowest_sp, state.sp);
    low = std::min(low, state.pc);
    high = std::max(high, state.pc);
  }
  loop_ = {steps_[resting].state, steps_.size() - from, Addr(low), Addr(high), {}};
  Bytes bytes = at_start(steps_, from);
  for (std::size_t n = from; n < resting; ++n) {
    for (const Touch& touch : steps_[n].touches) put(bytes, touch, touch.after);
  }
  const std::uint64_t dead_from = lowest_sp - kRedZone, dead_to = loop_.resting.sp - kRedZone;
  for (std::size_t n = from; n < steps_.size(); ++n) {
    for (const Touch& touch : steps_[n].touches) {
      if (touch.address.raw() >= dead_from && touch.address.raw() < dead_to) continue;  // frames of calls in the loop
      const WatchedValue value{touch.address, touch.size, get(bytes, touch)};
      if (std::find(loop_.watched.begin(), loop_.watched.end(), value) == loop_.watched.end()) {
        loop_.watched.push_back(value);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------
// Instructions.

namespace {

// With any of the suffixes b, w, l, q, or none. Not here, on purpose: string operations, everything that reads the
// time, random numbers or the processor's state, and vector and floating point instructions.
constexpr std::array<std::string_view, 34> kPlain = {
    "mov", "test", "cmp",     "lea",  "add",  "sub", "and",  "or",  "xor",   "inc", "dec", "neg",
    "not", "xchg", "cmpxchg", "xadd", "shl",  "shr", "sal",  "sar", "rol",   "ror", "bt",  "bts",
    "btr", "btc",  "imul",    "nop",  "call", "ret", "push", "pop", "leave", "jmp"};
constexpr std::array<std::string_view, 22> kExact = {
    "movabsq", "movzbl", "movzbw", "movzbq", "movzwl", "movzwq", "movsbl",  "movsbw", "movsbq", "movswl", "movswq",
    "movslq",  "cltq",   "cltd",   "cqto",   "cwtl",   "pause",  "endbr64", "mfence", "lfence", "sfence", "bswap"};

bool is_condition(std::string_view word) { return word.size() <= 3; }

bool is_known(std::string_view mnemonic) {
  if (std::find(kExact.begin(), kExact.end(), mnemonic) != kExact.end()) return true;
  const auto is_plain = [](std::string_view name) {
    return std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end();
  };
  if (is_plain(mnemonic)) return true;
  if (std::string_view("bwlq").find(mnemonic.back()) != std::string_view::npos &&
      is_plain(mnemonic.substr(0, mnemonic.size() - 1))) {
    return mnemonic != "pushw" && mnemonic != "popw";
  }
  if (mnemonic.starts_with("set")) return true;
  if (mnemonic.starts_with("cmov")) return true;
  return mnemonic.starts_with('j') && is_condition(mnemonic.substr(1));
}

bool names_vector_register(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNames = {"mm", "%st", "%k", "%cr", "%dr"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

bool is_judgeable(std::string_view text) {
  for (const std::string_view prefix : {"lock ", "notrack ", "bnd "}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  const std::string_view mnemonic = first_word(text);
  return !mnemonic.empty() && is_known(mnemonic) && !names_vector_register(text.substr(mnemonic.size()));
}

}  // namespace xbdbg
