// tracer/symbols/disassembler.h — one x86-64 instruction at a time: its text, and what it does to control and memory.
//
// For showing code, and for recognising loops that wait for memory to change. Implicit stack accesses of push, pop,
// call and ret are not listed as memory operands; nothing waits for those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracer/base/ids.h"
#include "tracer/base/result.h"
#include "tracer/symbols/registers.h"

namespace xbdbg {

enum class Segment : std::uint8_t { none, fs, gs };

// The address is segment + base + index * scale + displacement. For rip-relative operands base is rip, whose value is
// that of the next instruction.
struct MemoryOperand {
  Segment segment = Segment::none;
  std::optional<Reg> base{};
  std::optional<Reg> index{};
  int scale = 1;
  std::int64_t displacement = 0;
  std::uint8_t size = 0;  // bytes accessed; 0: unknown
  bool is_read = false;
  bool is_written = false;
};

struct Instruction {
  static constexpr std::size_t kMaxBytes = 15;

  Addr address{};
  std::size_t length = 0;
  std::string text{};  // AT&T syntax, as gdb shows it
  bool is_call = false;
  bool is_return = false;
  bool is_branch = false;  // any jump, conditional or not; not calls and returns
  bool is_conditional = false;
  bool is_atomic = false;        // a lock prefix, or xchg with memory
  std::optional<Addr> target{};  // of a direct call or branch
  std::vector<MemoryOperand> memory{};
};

// Where a memory operand points, given the registers before the instruction. Nothing when a register is unknown or
// the operand uses a segment base, which is not in a RegisterSet.
std::optional<Addr> effective_address(const Instruction& instruction, const MemoryOperand& operand,
                                      const RegisterSet& registers);

class Disassembler {
 public:
  static Result<Disassembler> create();
  Disassembler(Disassembler&&) noexcept;
  Disassembler& operator=(Disassembler&&) noexcept;
  ~Disassembler();

  // Decodes the instruction at the start of `bytes`, which lie at `address`. Errc::bad_input: not an instruction.
  Result<Instruction> decode(std::span<const std::byte> bytes, Addr address) const;

 private:
  struct Impl;
  explicit Disassembler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbdbg
