// tracer/symbols/dwarf_expression.h — evaluating the DWARF expressions of call frame information.
//
// Covers what may stand in CFI: arithmetic, registers, memory, control flow. Steps and stack are bounded; an unknown
// operation, an unknown register or unreadable memory gives no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tracer/symbols/registers.h"

namespace xbdbg {

struct ExpressionContext {
  const RegisterSet& registers;
  MemoryReader& memory;
  std::uint64_t bias = 0;                  // added to DW_OP_addr
  std::optional<std::uint64_t> initial{};  // pushed first: the CFA, for the rules of registers
};

std::optional<std::uint64_t> evaluate_expression(std::string_view expression, const ExpressionContext& context);

}  // namespace xbdbg
