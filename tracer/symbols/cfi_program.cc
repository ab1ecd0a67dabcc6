#include "tracer/symbols/cfi_program.h"

#include <dwarf.h>

namespace xbdbg {
namespace {

constexpr std::size_t kMaxSavedStates = 64;
constexpr std::uint8_t kOperandMask = 0x3f;  // the low six bits of the three short forms

}  // namespace

bool CfiMachine::run(const CfiProgram& program, std::uint64_t target) {
  Cursor cursor(program.code);
  while (!cursor.at_end() && location_ <= target) {
    const std::uint8_t op = cursor.u8();
    const std::uint64_t operand = op & kOperandMask;
    std::uint64_t advance = 0;
    bool moves = true;
    switch (op & ~kOperandMask) {
      case DW_CFA_advance_loc:
        advance = operand;
        break;
      case DW_CFA_offset:
        set_rule(operand, {.kind = RuleKind::at_offset,
                           .offset = static_cast<std::int64_t>(cursor.uleb()) * program.data_alignment});
        continue;
      case DW_CFA_restore:
        restore(operand);
        continue;
      default:
        moves = false;
    }
    if (!moves) {
      moves = true;
      switch (op) {
        case DW_CFA_advance_loc1:
          advance = cursor.u8();
          break;
        case DW_CFA_advance_loc2:
          advance = cursor.u16();
          break;
        case DW_CFA_advance_loc4:
          advance = cursor.u32();
          break;
        default:
          moves = false;
      }
    }
    if (!cursor.ok()) return false;
    if (moves) {
      const std::uint64_t next = location_ + advance * program.code_alignment;
      if (next < location_ || next > target) return true;  // the row before it is the one asked for
      location_ = next;
    } else if (!execute(program, op, cursor)) {
      return false;
    }
  }
  return cursor.ok();
}

bool CfiMachine::execute(const CfiProgram& program, std::uint8_t op, Cursor& cursor) {
  switch (op) {
    case DW_CFA_nop:
      return true;
    case DW_CFA_remember_state:
      if (saved_.size() >= kMaxSavedStates) return false;
      saved_.push_back(row_);
      return true;
    case DW_CFA_restore_state: {
      if (saved_.empty()) return false;
      row_ = saved_.back();
      saved_.pop_back();
      return true;
    }
    case DW_CFA_GNU_args_size:
      cursor.uleb();
      return cursor.ok();
    default:
      return define_cfa(program, op, cursor) || define_register(program, op, cursor);
  }
}

bool CfiMachine::define_cfa(const CfiProgram& program, std::uint8_t op, Cursor& cursor) {
  CfaRule& cfa = row_.cfa;
  switch (op) {
    case DW_CFA_def_cfa:
      cfa.reg = cursor.uleb();
      cfa.offset = static_cast<std::int64_t>(cursor.uleb());
      break;
    case DW_CFA_def_cfa_sf:
      cfa.reg = cursor.uleb();
      cfa.offset = cursor.sleb() * program.data_alignment;
      break;
    case DW_CFA_def_cfa_register:
      cfa.reg = cursor.uleb();
      break;
    case DW_CFA_def_cfa_offset:
      cfa.offset = static_cast<std::int64_t>(cursor.uleb());
      break;
    case DW_CFA_def_cfa_offset_sf:
      cfa.offset = cursor.sleb() * program.data_alignment;
      break;
    case DW_CFA_def_cfa_expression:
      cfa.expression = cursor.bytes(cursor.uleb());
      return cursor.ok();
    default:
      return false;
  }
  cfa.expression = {};
  return cursor.ok();
}

bool CfiMachine::define_register(const CfiProgram& program, std::uint8_t op, Cursor& cursor) {
  const std::uint64_t reg = cursor.uleb();
  RegisterRule rule;
  switch (op) {
    case DW_CFA_offset_extended:
      rule = {.kind = RuleKind::at_offset,
              .offset = static_cast<std::int64_t>(cursor.uleb()) * program.data_alignment};
      break;
    case DW_CFA_offset_extended_sf:
      rule = {.kind = RuleKind::at_offset, .offset = cursor.sleb() * program.data_alignment};
      break;
    case DW_CFA_GNU_negative_offset_extended:
      rule = {.kind = RuleKind::at_offset,
              .offset = -static_cast<std::int64_t>(cursor.uleb()) * program.data_alignment};
      break;
    case DW_CFA_val_offset:
      rule = {.kind = RuleKind::is_offset,
              .offset = static_cast<std::int64_t>(cursor.uleb()) * program.data_alignment};
      break;
    case DW_CFA_val_offset_sf:
      rule = {.kind = RuleKind::is_offset, .offset = cursor.sleb() * program.data_alignment};
      break;
    case DW_CFA_undefined:
      rule.kind = RuleKind::undefined;
      break;
    case DW_CFA_same_value:
      rule.kind = RuleKind::same_value;
      break;
    case DW_CFA_register:
      rule = {.kind = RuleKind::in_register, .reg = static_cast<std::uint32_t>(cursor.uleb())};
      break;
    case DW_CFA_expression:
      rule = {.kind = RuleKind::at_expression, .expression = cursor.bytes(cursor.uleb())};
      break;
    case DW_CFA_val_expression:
      rule = {.kind = RuleKind::is_expression, .expression = cursor.bytes(cursor.uleb())};
      break;
    case DW_CFA_restore_extended:
      restore(reg);
      return cursor.ok();
    default:
      return false;  // an instruction of unknown length
  }
  set_rule(reg, rule);
  return cursor.ok();
}

void CfiMachine::set_rule(std::uint64_t reg, RegisterRule rule) {
  if (reg < row_.registers.size()) row_.registers[reg] = rule;  // vector registers are not ours
}

void CfiMachine::restore(std::uint64_t reg) {
  if (reg < row_.registers.size()) row_.registers[reg] = initial_.registers[reg];
}

}  // namespace xbdbg
