// tracer/base/ids.h — a number with a meaning has a type.
//
// No implicit conversion either way; arithmetic only where it makes sense for the type.
#pragma once

#include <compare>
#include <cstdint>

namespace xbdbg {

template <class Tag, class Rep>
class Strong {
 public:
  using rep = Rep;
  constexpr Strong() = default;
  constexpr explicit Strong(Rep value) : value_(value) {}
  constexpr Rep raw() const { return value_; }
  friend constexpr auto operator<=>(Strong, Strong) = default;

 private:
  Rep value_{};
};

using Pid = Strong<struct PidTag, int>;  // a kernel process id
using Tid = Strong<struct TidTag, int>;  // a kernel thread id
using ThreadIndex =
    Strong<struct ThreadIndexTag, std::uint32_t>;  // T0, T1, ...: the program's threads in order of birth
using EventIndex = Strong<struct EventIndexTag, std::uint64_t>;  // n-th event of an execution
using Addr = Strong<struct AddrTag, std::uint64_t>;              // an address in the target

constexpr Addr operator+(Addr a, std::uint64_t n) { return Addr(a.raw() + n); }
constexpr Addr operator-(Addr a, std::uint64_t n) { return Addr(a.raw() - n); }
constexpr std::uint64_t operator-(Addr a, Addr b) { return a.raw() - b.raw(); }

}  // namespace xbdbg
