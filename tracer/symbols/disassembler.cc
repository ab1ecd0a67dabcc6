#include "tracer/symbols/disassembler.h"

#include <capstone.h>

#include <array>
#include <string_view>
#include <utility>

namespace xbdbg {
namespace {

struct RegisterName {
  x86_reg capstone;
  Reg reg;
};

// The registers an address may be made of. 32-bit ones (addr32 prefix) are as good as never used and left unknown.
constexpr std::array<RegisterName, 17> kRegisters = {{
    {X86_REG_RAX, Reg::rax},
    {X86_REG_RBX, Reg::rbx},
    {X86_REG_RCX, Reg::rcx},
    {X86_REG_RDX, Reg::rdx},
    {X86_REG_RSI, Reg::rsi},
    {X86_REG_RDI, Reg::rdi},
    {X86_REG_RBP, Reg::rbp},
    {X86_REG_RSP, Reg::rsp},
    {X86_REG_R8, Reg::r8},
    {X86_REG_R9, Reg::r9},
    {X86_REG_R10, Reg::r10},
    {X86_REG_R11, Reg::r11},
    {X86_REG_R12, Reg::r12},
    {X86_REG_R13, Reg::r13},
    {X86_REG_R14, Reg::r14},
    {X86_REG_R15, Reg::r15},
    {X86_REG_RIP, Reg::rip},
}};

std::optional<Reg> register_of(x86_reg reg) {
  for (const RegisterName& name : kRegisters) {
    if (name.capstone == reg) return name.reg;
  }
  return std::nullopt;
}

Segment segment_of(x86_reg reg) {
  if (reg == X86_REG_FS) return Segment::fs;
  return reg == X86_REG_GS ? Segment::gs : Segment::none;
}

MemoryOperand memory_operand(const cs_x86_op& operand) {
  MemoryOperand result;
  result.segment = segment_of(operand.mem.segment);
  result.base = register_of(operand.mem.base);
  result.index = register_of(operand.mem.index);
  result.scale = operand.mem.scale;
  result.displacement = operand.mem.disp;
  result.size = operand.size;
  result.is_read = (operand.access & CS_AC_READ) != 0;
  result.is_written = (operand.access & CS_AC_WRITE) != 0;
  return result;
}

// Capstone 4's tables have compare-and-exchange and AVX stores as reads.
void correct_access(const cs_insn& insn, bool is_last, MemoryOperand& operand) {
  const std::string_view mnemonic = insn.mnemonic;
  if (mnemonic.find("cmpxchg") != std::string_view::npos || insn.detail->x86.prefix[0] == X86_PREFIX_LOCK) {
    operand.is_read = operand.is_written = true;
  } else if (mnemonic.starts_with('v') && insn.detail->x86.op_count > 1 &&
             is_last) {  // AT&T: the destination is last
    operand.is_read = false;
    operand.is_written = true;
  }
}

}  // namespace

struct Disassembler::Impl {
  csh handle = 0;
  cs_insn* buffer = nullptr;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (buffer != nullptr) cs_free(buffer, 1);
    if (handle != 0) cs_close(&handle);
  }
  bool in_group(unsigned group) const { return cs_insn_group(handle, buffer, group); }
};

Disassembler::Disassembler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Disassembler::Disassembler(Disassembler&&) noexcept = default;
Disassembler& Disassembler::operator=(Disassembler&&) noexcept = default;
Disassembler::~Disassembler() = default;

Result<Disassembler> Disassembler::create() {
  auto impl = std::make_unique<Impl>();
  const cs_err error = cs_open(CS_ARCH_X86, CS_MODE_64, &impl->handle);
  if (error != CS_ERR_OK) return Error{Errc::unsupported, std::string("open Capstone: ") + cs_strerror(error), {}};
  cs_option(impl->handle, CS_OPT_DETAIL, CS_OPT_ON);
  cs_option(impl->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
  impl->buffer = cs_malloc(impl->handle);
  if (impl->buffer == nullptr) return Error{Errc::os, "open Capstone: out of memory", {}};
  return Disassembler(std::move(impl));
}

Result<Instruction> Disassembler::decode(std::span<const std::byte> bytes, Addr address) const {
  const auto* code = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t size = bytes.size();
  std::uint64_t at = address.raw();
  if (!cs_disasm_iter(impl_->handle, &code, &size, &at, impl_->buffer)) {
    return Error{Errc::bad_input, "decode an instruction: these bytes are none", {}};
  }
  const cs_insn& insn = *impl_->buffer;
  const cs_x86& x86 = insn.detail->x86;
  Instruction result{.address = address, .length = insn.size, .text = insn.mnemonic};
  if (insn.op_str[0] != '\0') result.text += std::string(" ") + insn.op_str;
  result.is_call = impl_->in_group(CS_GRP_CALL);
  result.is_return = impl_->in_group(CS_GRP_RET) || impl_->in_group(CS_GRP_IRET);
  result.is_branch = impl_->in_group(CS_GRP_JUMP);
  result.is_conditional = result.is_branch && insn.id != X86_INS_JMP && insn.id != X86_INS_LJMP;
  const bool only_address = insn.id == X86_INS_LEA || insn.id == X86_INS_NOP;  // no access
  for (std::uint8_t i = 0; i < x86.op_count; ++i) {
    const cs_x86_op& operand = x86.operands[i];
    if (operand.type == X86_OP_MEM && !only_address) {
      result.memory.push_back(memory_operand(operand));
      correct_access(insn, i + 1 == x86.op_count, result.memory.back());
    }
    if (operand.type == X86_OP_IMM && (result.is_call || result.is_branch)) {
      result.target = Addr(static_cast<std::uint64_t>(operand.imm));
    }
  }
  result.is_atomic = x86.prefix[0] == X86_PREFIX_LOCK || (insn.id == X86_INS_XCHG && !result.memory.empty());
  return result;
}

std::optional<Addr> effective_address(const Instruction& instruction, const MemoryOperand& operand,
                                      const RegisterSet& registers) {
  if (operand.segment != Segment::none) return std::nullopt;
  std::uint64_t address = static_cast<std::uint64_t>(operand.displacement);
  if (operand.base == Reg::rip) {
    address += (instruction.address + instruction.length).raw();
  } else if (operand.base) {
    const std::optional<std::uint64_t> value = registers.get(*operand.base);
    if (!value) return std::nullopt;
    address += *value;
  }
  if (operand.index) {
    const std::optional<std::uint64_t> value = registers.get(*operand.index);
    if (!value) return std::nullopt;
    address += *value * static_cast<std::uint64_t>(operand.scale);
  }
  return Addr(address);
}

}  // namespace xbdbg
