#include "tracer/spin_probe.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tracer/memory.h"

namespace xbdbg {
namespace {

constexpr std::uint64_t kStepFlags = 0x10100;  // TF and RF
constexpr std::uint8_t kWordBytes = 8;
constexpr std::size_t kFewestSteps = 50;  // however slow the machine is: most loops are shorter

CpuState cpu_state(const user_regs_struct& r) {
  return {r.rsp,
          r.rip,
          r.eflags & ~kStepFlags,
          {r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15}};
}

RegisterSet register_set(const user_regs_struct& r) {
  RegisterSet set;
  const std::array<std::pair<Reg, std::uint64_t>, 17> values = {{{Reg::rax, r.rax},
                                                                 {Reg::rbx, r.rbx},
                                                                 {Reg::rcx, r.rcx},
                                                                 {Reg::rdx, r.rdx},
                                                                 {Reg::rsi, r.rsi},
                                                                 {Reg::rdi, r.rdi},
                                                                 {Reg::rbp, r.rbp},
                                                                 {Reg::rsp, r.rsp},
                                                                 {Reg::r8, r.r8},
                                                                 {Reg::r9, r.r9},
                                                                 {Reg::r10, r.r10},
                                                                 {Reg::r11, r.r11},
                                                                 {Reg::r12, r.r12},
                                                                 {Reg::r13, r.r13},
                                                                 {Reg::r14, r.r14},
                                                                 {Reg::r15, r.r15},
                                                                 {Reg::rip, r.rip}}};
  for (const auto& [reg, value] : values) set.set(reg, value);
  return set;
}

std::optional<std::uint64_t> read_word(Pid pid, Addr address, std::uint8_t size) {
  std::array<std::byte, kWordBytes> bytes{};
  if (!read_memory_exactly(pid, address, std::span(bytes).first(size))) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Everything that the instruction may access, whether it writes or not: what did not change was not written.
// Nothing: that cannot be said.
std::optional<std::vector<Touch>> accesses(const Instruction& instruction, const user_regs_struct& regs) {
  std::vector<Touch> touches;
  for (MemoryOperand operand : instruction.memory) {
    const std::uint64_t segment = operand.segment == Segment::fs   ? regs.fs_base
                                  : operand.segment == Segment::gs ? regs.gs_base
                                                                   : 0;
    operand.segment = Segment::none;
    const std::optional<Addr> address = effective_address(instruction, operand, register_set(regs));
    if (!address || operand.size == 0) return std::nullopt;
    for (std::uint8_t done = 0; done < operand.size; done = static_cast<std::uint8_t>(done + kWordBytes)) {
      const auto size = static_cast<std::uint8_t>(std::min<int>(operand.size - done, kWordBytes));
      touches.push_back({.address = *address + segment + done, .size = size});
    }
  }
  if (instruction.is_call || instruction.text.starts_with("push")) {
    touches.push_back({.address = Addr(regs.rsp) - kWordBytes, .size = kWordBytes});
  } else if (instruction.is_return || instruction.text.starts_with("pop")) {
    touches.push_back({.address = Addr(regs.rsp), .size = kWordBytes});
  } else if (instruction.text.starts_with("leave")) {
    touches.push_back({.address = Addr(regs.rbp), .size = kWordBytes});
  }
  return touches;
}

bool fill(Pid pid, std::vector<Touch>& touches, std::uint64_t Touch::*value) {
  return std::all_of(touches.begin(), touches.end(), [&](Touch& touch) {
    const auto word = read_word(pid, touch.address, touch.size);
    if (word) touch.*value = *word;
    return word.has_value();
  });
}

}  // namespace

Result<const Instruction*> SpinProbe::decode(BriefStop& stop, Code& code) const {
  const Addr pc(stop.regs().rip);
  const auto [at, is_new] = code.try_emplace(pc.raw());
  if (is_new) {
    std::array<std::byte, Instruction::kMaxBytes> bytes{};
    XB_TRY(const std::size_t read, read_memory(stop.pid(), pc, bytes));
    XB_TRY(at->second, disassembler_.decode(std::span(bytes).first(read), pc));
  }
  return &at->second;
}

Result<std::optional<SpinLoop>> SpinProbe::probe(BriefStop& stop, std::chrono::nanoseconds patience) const {
  const std::optional<SpinLoop> nothing;
  SpinDetector detector;
  SpinVerdict verdict = SpinVerdict::undecided;
  Code code;
  const auto until = std::chrono::steady_clock::now() + patience;
  for (std::size_t n = 0; verdict == SpinVerdict::undecided; ++n) {
    const auto instruction = decode(stop, code);
    if ((n >= kFewestSteps && std::chrono::steady_clock::now() > until) || !instruction ||
        !is_judgeable((*instruction)->text))
      return nothing;
    ExecutedStep step{.state = cpu_state(stop.regs())};
    auto touches = accesses(**instruction, stop.regs());
    if (!touches || !fill(stop.pid(), *touches, &Touch::before)) return nothing;
    XB_TRY(const bool stepped, stop.step());
    if (!stepped || !fill(stop.pid(), *touches, &Touch::after)) return nothing;
    step.touches = std::move(*touches);
    verdict = detector.feed(step);
  }
  if (verdict == SpinVerdict::no_spin) return nothing;
  for (std::size_t n = 0; cpu_state(stop.regs()) != detector.loop().resting; ++n) {
    if (n == detector.loop().length) return nothing;  // memory shared with another process changed meanwhile
    XB_TRY(const bool stepped, stop.step());
    if (!stepped) return nothing;
  }
  return std::optional(detector.loop());
}

}  // namespace xbdbg
