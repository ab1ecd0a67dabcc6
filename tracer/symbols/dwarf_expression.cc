#include "tracer/symbols/dwarf_expression.h"

#include <dwarf.h>

#include <vector>

#include "tracer/symbols/cursor.h"

namespace xbdbg {
namespace {

constexpr int kMaxSteps = 10'000;  // DW_OP_skip can go backwards
constexpr std::size_t kMaxStack = 256;

class Machine {
 public:
  Machine(std::string_view code, const ExpressionContext& context) : code_(code), cursor_(code), context_(context) {
    if (context.initial) push(*context.initial);
  }

  std::optional<std::uint64_t> run() {
    for (int step = 0; step < kMaxSteps && ok_ && cursor_.ok(); ++step) {
      if (cursor_.at_end()) return stack_.empty() ? std::nullopt : std::optional(stack_.back());
      execute(cursor_.u8());
    }
    return std::nullopt;
  }

 private:
  void execute(std::uint8_t op) {
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) return push(std::uint64_t{op} - DW_OP_lit0);
    if (op >= DW_OP_breg0 && op <= DW_OP_breg31) return push_register(std::size_t{op} - DW_OP_breg0);
    if (!constant(op) && !stack_operation(op) && !unary(op) && !control(op)) binary(op);
  }

  bool constant(std::uint8_t op) {
    switch (op) {
      case DW_OP_addr:
        push(cursor_.u64() + context_.bias);
        return true;
      case DW_OP_const1u:
        push(cursor_.u8());
        return true;
      case DW_OP_const1s:
        push_signed(static_cast<std::int8_t>(cursor_.u8()));
        return true;
      case DW_OP_const2u:
        push(cursor_.u16());
        return true;
      case DW_OP_const2s:
        push_signed(static_cast<std::int16_t>(cursor_.u16()));
        return true;
      case DW_OP_const4u:
        push(cursor_.u32());
        return true;
      case DW_OP_const4s:
        push_signed(static_cast<std::int32_t>(cursor_.u32()));
        return true;
      case DW_OP_const8u:
      case DW_OP_const8s:
        push(cursor_.u64());
        return true;
      case DW_OP_constu:
        push(cursor_.uleb());
        return true;
      case DW_OP_consts:
        push_signed(cursor_.sleb());
        return true;
      case DW_OP_bregx:
        push_register(cursor_.uleb());
        return true;
      default:
        return false;
    }
  }

  bool stack_operation(std::uint8_t op) {
    switch (op) {
      case DW_OP_dup:
        push(peek(0));
        return true;
      case DW_OP_drop:
        pop();
        return true;
      case DW_OP_over:
        push(peek(1));
        return true;
      case DW_OP_pick:
        push(peek(cursor_.u8()));
        return true;
      case DW_OP_swap: {
        const std::uint64_t a = pop();
        const std::uint64_t b = pop();
        push(a);
        push(b);
        return true;
      }
      case DW_OP_rot: {
        const std::uint64_t a = pop();
        const std::uint64_t b = pop();
        const std::uint64_t c = pop();
        push(a);
        push(c);
        push(b);
        return true;
      }
      default:
        return false;
    }
  }

  bool unary(std::uint8_t op) {
    switch (op) {
      case DW_OP_deref:
        dereference(8);
        return true;
      case DW_OP_deref_size:
        dereference(cursor_.u8());
        return true;
      case DW_OP_abs: {
        const std::uint64_t value = pop();
        push((value >> 63) != 0 ? 0 - value : value);
        return true;
      }
      case DW_OP_neg:
        push(0 - pop());
        return true;
      case DW_OP_not:
        push(~pop());
        return true;
      case DW_OP_plus_uconst:
        push(pop() + cursor_.uleb());
        return true;
      case DW_OP_nop:
        return true;
      default:
        return false;
    }
  }

  bool control(std::uint8_t op) {
    if (op != DW_OP_skip && op != DW_OP_bra) return false;
    const auto distance = static_cast<std::int16_t>(cursor_.u16());
    if (op == DW_OP_bra && pop() == 0) return true;
    const std::int64_t target = static_cast<std::int64_t>(cursor_.offset()) + distance;
    if (target < 0) {
      ok_ = false;
    } else {
      cursor_.seek(static_cast<std::uint64_t>(target));
    }
    return true;
  }

  void binary(std::uint8_t op) {
    const std::uint64_t b = pop();
    const std::uint64_t a = pop();
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    switch (op) {
      case DW_OP_and:
        return push(a & b);
      case DW_OP_or:
        return push(a | b);
      case DW_OP_xor:
        return push(a ^ b);
      case DW_OP_plus:
        return push(a + b);
      case DW_OP_minus:
        return push(a - b);
      case DW_OP_mul:
        return push(a * b);
      case DW_OP_div:
        return b == 0 || (sb == -1 && sa == INT64_MIN) ? fail() : push_signed(sa / sb);
      case DW_OP_mod:
        return b == 0 ? fail() : push(a % b);
      case DW_OP_shl:
        return push(b < 64 ? a << b : 0);
      case DW_OP_shr:
        return push(b < 64 ? a >> b : 0);
      case DW_OP_shra:
        return push_signed(sa >> (b < 64 ? b : 63));
      case DW_OP_eq:
        return push(sa == sb);
      case DW_OP_ne:
        return push(sa != sb);
      case DW_OP_lt:
        return push(sa < sb);
      case DW_OP_le:
        return push(sa <= sb);
      case DW_OP_gt:
        return push(sa > sb);
      case DW_OP_ge:
        return push(sa >= sb);
      default:
        return fail();
    }
  }

  void push_register(std::size_t number) {
    const std::int64_t offset = cursor_.sleb();
    const std::optional<std::uint64_t> value = context_.registers.get_number(number);
    if (!value) return fail();
    push(*value + static_cast<std::uint64_t>(offset));
  }

  void dereference(std::size_t size) {
    std::array<std::byte, 8> bytes{};
    if (size == 0 || size > bytes.size()) return fail();
    if (!context_.memory.read(Addr(pop()), std::span(bytes).first(size))) return fail();
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    push(value);
  }

  void push(std::uint64_t value) {
    if (stack_.size() >= kMaxStack) return fail();
    stack_.push_back(value);
  }
  void push_signed(std::int64_t value) { push(static_cast<std::uint64_t>(value)); }
  std::uint64_t pop() {
    const std::uint64_t value = peek(0);
    if (!stack_.empty()) stack_.pop_back();
    return value;
  }
  std::uint64_t peek(std::size_t depth) {
    if (depth < stack_.size()) return stack_[stack_.size() - 1 - depth];
    ok_ = false;
    return 0;
  }
  void fail() { ok_ = false; }

  std::string_view code_;
  Cursor cursor_;
  const ExpressionContext& context_;
  std::vector<std::uint64_t> stack_;
  bool ok_ = true;
};

}  // namespace

std::optional<std::uint64_t> evaluate_expression(std::string_view expression, const ExpressionContext& context) {
  return Machine(expression, context).run();
}

}  // namespace xbdbg
