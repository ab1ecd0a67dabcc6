// tracer/spin_loop.h — is this stretch of executed instructions a loop that waits for memory to change?
//
// A thread runs alone. When all its registers are again what they were, and so is all memory that it has touched in
// between, it will do the same again for ever, unless somebody else changes what it reads: a *pure spin loop*. A loop
// that counts in a register, or leaves any other trace, is none, and ends by itself or not: that is not decided here.
//
// A pure function of steps: it reads no process. Memory other than the thread's own frames must not even change for a
// moment within the loop: another thread could wait for that very moment.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tracer/base/ids.h"

namespace xbdbg {

// Everything that decides what a thread does next, but for memory and for the registers that only instructions which
// the detector refuses can see.
struct CpuState {
  std::uint64_t sp = 0;
  std::uint64_t pc = 0;
  std::uint64_t flags = 0;                  // without those that single-stepping sets
  std::array<std::uint64_t, 15> general{};  // rax ... r15, without rsp

  friend auto operator<=>(const CpuState&, const CpuState&) = default;
};

// Up to 8 bytes that an instruction accessed, and their value before and after it.
struct Touch {
  Addr address{};
  std::uint8_t size = 0;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

struct ExecutedStep {
  CpuState state{};  // before the instruction
  std::vector<Touch> touches{};
};

struct WatchedValue {
  Addr address{};
  std::uint8_t size = 0;
  std::uint64_t value = 0;

  friend bool operator==(const WatchedValue&, const WatchedValue&) = default;
};

struct SpinLoop {
  CpuState resting{};                   // the state of the loop where it is interrupted: the same in every execution
  std::size_t length = 0;               // instructions
  Addr low{}, high{};                   // its instructions begin in [low, high]
  std::vector<WatchedValue> watched{};  // while all of them hold, in the resting state, the loop goes on
};

enum class SpinVerdict : std::uint8_t { undecided, spin, no_spin };

class SpinDetector {
 public:
  // Takes the steps in the order of their execution. After `spin` or `no_spin` no more.
  SpinVerdict feed(const ExecutedStep& step);
  const SpinLoop& loop() const { return loop_; }  // after `spin`

 private:
  bool in_own_frames(const Touch& touch, std::uint64_t sp) const;
  bool memory_recurs(std::size_t from) const;
  void describe(std::size_t from);

  std::vector<ExecutedStep> steps_{};
  std::map<CpuState, std::size_t> seen_{};  // its last position in steps_
  SpinLoop loop_{};
};

// Instructions that the detector can judge: those that do nothing but to general registers, to flags and to the
// memory operands they name (besides push, pop, call and ret), and that give the same result each time. `text` is
// AT&T syntax as from Disassembler.
bool is_judgeable(std::string_view text);

}  // namespace xbdbg
