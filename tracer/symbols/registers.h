// tracer/symbols/registers.h — the x86-64 registers an unwinder needs, by their DWARF numbers, and how memory is
// read.
//
// Each value is known or not: a caller that unwinds from a saved context may have the callee-saved registers only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "tracer/base/ids.h"

namespace xbdbg {

enum class Reg : std::uint8_t {
  rax,
  rdx,
  rcx,
  rbx,
  rsi,
  rdi,
  rbp,
  rsp,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15,  // DWARF's order, not the encoding's
  rip,
};

class RegisterSet {
 public:
  static constexpr std::size_t kCount = 17;

  void set(Reg reg, std::uint64_t value) { set_number(static_cast<std::size_t>(reg), value); }
  std::optional<std::uint64_t> get(Reg reg) const { return get_number(static_cast<std::size_t>(reg)); }
  void forget(Reg reg) { known_ &= ~(1u << static_cast<unsigned>(reg)); }

  // By DWARF number; numbers from kCount on (vector registers, flags) are never known.
  void set_number(std::size_t number, std::uint64_t value) {
    if (number >= kCount) return;
    values_[number] = value;
    known_ |= 1u << number;
  }
  std::optional<std::uint64_t> get_number(std::size_t number) const {
    if (number >= kCount || (known_ >> number & 1) == 0) return std::nullopt;
    return values_[number];
  }

 private:
  std::array<std::uint64_t, kCount> values_{};
  std::uint32_t known_ = 0;
};

// Memory of a process, live or copied. A read outside what there is says false and writes nothing of use.
class MemoryReader {
 public:
  virtual ~MemoryReader() = default;
  virtual bool read(Addr address, std::span<std::byte> out) = 0;

  std::optional<std::uint64_t> read_u64(Addr address) {
    std::array<std::byte, sizeof(std::uint64_t)> bytes{};
    if (!read(address, bytes)) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
};

}  // namespace xbdbg
