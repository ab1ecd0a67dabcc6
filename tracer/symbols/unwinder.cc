#include "tracer/symbols/unwinder.h"

#include <array>
#include <cstring>

#include "tracer/symbols/dwarf_expression.h"

namespace xbdbg {
namespace {

// mov $15,%rax; syscall — rt_sigreturn, in the two lengths assemblers give it.
constexpr std::array<unsigned char, 9> kRestorerLong = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
constexpr std::array<unsigned char, 7> kRestorerShort = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};

// The registers of struct sigcontext (asm/sigcontext.h), in its order; it is 40 bytes into the ucontext to which the
// stack pointer points when the restorer runs.
constexpr std::uint64_t kSigcontextOffset = 40;
constexpr std::array<Reg, 17> kSigcontextOrder = {Reg::r8,  Reg::r9,  Reg::r10, Reg::r11, Reg::r12, Reg::r13,
                                                  Reg::r14, Reg::r15, Reg::rdi, Reg::rsi, Reg::rbp, Reg::rbx,
                                                  Reg::rdx, Reg::rax, Reg::rcx, Reg::rsp, Reg::rip};

}  // namespace

Backtrace Unwinder::unwind(const RegisterSet& registers, std::size_t max_frames) {
  Backtrace result;
  const std::optional<std::uint64_t> pc = registers.get(Reg::rip);
  if (!pc) return Backtrace{{}, UnwindEnd::no_rule};
  result.frames.push_back({.pc = Addr(*pc), .registers = registers});
  while (result.frames.size() < max_frames) {
    StackFrame& frame = result.frames.back();
    const Step next = step(frame, result.frames.size() == 1);
    if (!next.found) {
      result.end = next.end;
      return result;
    }
    if (next.caller.pc == frame.pc && next.caller.registers.get(Reg::rsp) == frame.registers.get(Reg::rsp)) {
      result.end = UnwindEnd::no_progress;
      return result;
    }
    result.frames.push_back(next.caller);
  }
  result.end = UnwindEnd::depth_limit;
  return result;
}

Unwinder::Step Unwinder::step(StackFrame& frame, bool is_top) {
  const Module* module = modules_.find(frame.pc);
  if (module == nullptr && !frame.pc_is_exact) module = modules_.find(frame.pc - 1);
  const std::optional<UnwindRow> row = module != nullptr ? row_for(frame, *module) : std::nullopt;
  // A return address right after a function with CFI may be the start of a restorer that has none.
  const bool beside = row && !frame.pc_is_exact && module->to_file(frame.pc) == row->function.high;
  if ((!row || beside) && is_restorer(frame.pc)) return step_out_of_signal(frame);
  if (row) return step_by_row(frame, *row, *module);
  if (is_top && !modules_.is_executable(frame.pc)) return step_out_of_bad_call(frame);
  return step_by_frame_pointer(frame);
}

// A return address lies behind the call, which may be the last instruction of its function: the byte before it
// counts. The return address of a signal handler is the start of the restorer, though.
std::optional<UnwindRow> Unwinder::row_for(const StackFrame& frame, const Module& module) const {
  CfiTable& cfi = module.image->cfi();
  const std::uint64_t pc = module.to_file(frame.pc);
  if (frame.pc_is_exact) return cfi.row_at(pc);
  std::optional<UnwindRow> before = cfi.row_at(pc - 1);
  if (before && pc < before->function.high) return before;
  std::optional<UnwindRow> here = cfi.row_at(pc);
  return here && here->is_signal_frame ? here : before;
}

std::optional<std::uint64_t> Unwinder::apply(const RegisterRule& rule, std::size_t number, std::uint64_t cfa,
                                             const StackFrame& frame, const Module& module) {
  const ExpressionContext context{frame.registers, memory_, module.bias, cfa};
  switch (rule.kind) {
    case RuleKind::undefined:
      return std::nullopt;
    case RuleKind::unspecified:
      // The ABI's default: the stack pointer is the CFA, callee-saved registers are unchanged.
      if (number == static_cast<std::size_t>(Reg::rsp)) return cfa;
      return frame.registers.get_number(number);
    case RuleKind::same_value:
      return frame.registers.get_number(number);
    case RuleKind::at_offset:
      return memory_.read_u64(Addr(cfa + static_cast<std::uint64_t>(rule.offset)));
    case RuleKind::is_offset:
      return cfa + static_cast<std::uint64_t>(rule.offset);
    case RuleKind::in_register:
      return frame.registers.get_number(rule.reg);
    case RuleKind::at_expression: {
      const std::optional<std::uint64_t> where = evaluate_expression(rule.expression, context);
      return where ? memory_.read_u64(Addr(*where)) : std::nullopt;
    }
    case RuleKind::is_expression:
      return evaluate_expression(rule.expression, context);
  }
  return std::nullopt;
}

Unwinder::Step Unwinder::step_by_row(StackFrame& frame, const UnwindRow& row, const Module& module) {
  if (row.return_register >= row.registers.size()) return {.end = UnwindEnd::no_rule};
  const RegisterRule& return_rule = row.registers[row.return_register];
  if (return_rule.kind == RuleKind::undefined) return {.end = UnwindEnd::outermost};
  std::optional<std::uint64_t> cfa;
  if (!row.cfa.expression.empty()) {
    cfa = evaluate_expression(row.cfa.expression, {frame.registers, memory_, module.bias, std::nullopt});
    if (!cfa) return {.end = UnwindEnd::unreadable_memory};  // expressions read memory: there they fail
  } else if (const std::optional<std::uint64_t> base = frame.registers.get_number(row.cfa.reg); base) {
    cfa = *base + static_cast<std::uint64_t>(row.cfa.offset);
  }
  if (!cfa) return {.end = UnwindEnd::no_rule};
  frame.cfa = Addr(*cfa);
  frame.is_signal_trampoline = row.is_signal_frame;
  if (row.is_signal_frame) frame.pc_is_exact = true;  // nobody called the restorer
  Step result;
  for (std::size_t i = 0; i < RegisterSet::kCount; ++i) {
    if (const std::optional<std::uint64_t> value = apply(row.registers[i], i, *cfa, frame, module); value) {
      result.caller.registers.set_number(i, *value);
    }
  }
  if (return_rule.kind == RuleKind::unspecified) return {.end = UnwindEnd::no_rule};
  const std::optional<std::uint64_t> pc = result.caller.registers.get_number(row.return_register);
  if (!pc) return {.end = UnwindEnd::unreadable_memory};
  if (*pc == 0) return {.end = UnwindEnd::outermost};
  result.caller.registers.set(Reg::rip, *pc);
  result.caller.pc = Addr(*pc);
  result.caller.pc_is_exact = row.is_signal_frame;
  result.found = true;
  return result;
}

bool Unwinder::is_restorer(Addr pc) {
  std::array<std::byte, kRestorerLong.size()> bytes{};
  if (!memory_.read(pc, bytes)) {  // a copied stack has no code: the file does
    const Module* module = modules_.find(pc);
    if (module == nullptr) return false;
    const std::string_view code = module->image->file().bytes_at(module->to_file(pc), bytes.size());
    if (code.size() != bytes.size()) return false;
    std::memcpy(bytes.data(), code.data(), code.size());
  }
  return std::memcmp(bytes.data(), kRestorerLong.data(), kRestorerLong.size()) == 0 ||
         std::memcmp(bytes.data(), kRestorerShort.data(), kRestorerShort.size()) == 0;
}

Unwinder::Step Unwinder::step_out_of_signal(StackFrame& frame) {
  const std::optional<std::uint64_t> sp = frame.registers.get(Reg::rsp);
  if (!sp) return {.end = UnwindEnd::no_rule};
  frame.is_signal_trampoline = true;
  frame.pc_is_exact = true;
  Step result;
  for (std::size_t i = 0; i < kSigcontextOrder.size(); ++i) {
    const std::optional<std::uint64_t> value = memory_.read_u64(Addr(*sp + kSigcontextOffset + i * 8));
    if (!value) return {.end = UnwindEnd::unreadable_memory};
    result.caller.registers.set(kSigcontextOrder[i], *value);
  }
  frame.cfa = Addr(*result.caller.registers.get(Reg::rsp));
  result.caller.pc = Addr(*result.caller.registers.get(Reg::rip));
  result.found = true;
  return result;
}

// The top frame is at an address that is no code: a call through a bad pointer, which pushed its return address.
Unwinder::Step Unwinder::step_out_of_bad_call(const StackFrame& frame) {
  const std::optional<std::uint64_t> sp = frame.registers.get(Reg::rsp);
  if (!sp) return {.end = UnwindEnd::no_rule};
  const std::optional<std::uint64_t> pc = memory_.read_u64(Addr(*sp));
  if (!pc) return {.end = UnwindEnd::unreadable_memory};
  if (!modules_.is_executable(Addr(*pc))) return {.end = UnwindEnd::no_rule};
  Step result{.caller = {.pc = Addr(*pc), .registers = frame.registers, .pc_is_exact = false}, .found = true};
  result.caller.registers.set(Reg::rip, *pc);
  result.caller.registers.set(Reg::rsp, *sp + 8);
  return result;
}

Unwinder::Step Unwinder::step_by_frame_pointer(const StackFrame& frame) {
  const std::optional<std::uint64_t> bp = frame.registers.get(Reg::rbp);
  const std::optional<std::uint64_t> sp = frame.registers.get(Reg::rsp);
  // A frame pointer points up the stack, not far from its end; anything else is a register used for something else.
  if (!bp || !sp || *bp == 0 || *bp % 8 != 0 || *bp < *sp) return {.end = UnwindEnd::no_rule};
  const std::optional<std::uint64_t> saved = memory_.read_u64(Addr(*bp));
  const std::optional<std::uint64_t> pc = memory_.read_u64(Addr(*bp + 8));
  if (!saved || !pc) return {.end = UnwindEnd::unreadable_memory};
  if (*pc == 0) return {.end = UnwindEnd::outermost};
  if (!modules_.is_executable(Addr(*pc))) return {.end = UnwindEnd::no_rule};
  Step result{.caller = {.pc = Addr(*pc), .pc_is_exact = false}, .found = true};
  result.caller.registers = frame.registers;
  result.caller.registers.set(Reg::rip, *pc);
  result.caller.registers.set(Reg::rbp, *saved);
  result.caller.registers.set(Reg::rsp, *bp + 16);
  return result;
}

}  // namespace xbdbg
