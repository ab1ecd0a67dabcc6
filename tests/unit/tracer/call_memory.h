// tests/unit/tracer/call_memory.h — makes a real system call on poisoned memory, and checks the property that
// recording rests on: every byte that the kernel changed lies in an area that outputs.h enumerates, and no area goes
// beyond what the call was offered.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracer/agent/outputs.h"

namespace xbdbg::test {

// A block of memory in which the arguments of a call are laid out, with poison in and between them.
class CallMemory {
 public:
  CallMemory();
  ~CallMemory();
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  template <class T>
  T* poisoned(std::size_t count = 1) {
    return reinterpret_cast<T*>(take(count * sizeof(T)));
  }
  template <class T>
  T* holding(const T& value) {
    T* at = poisoned<T>();
    __builtin_memcpy(at, &value, sizeof value);
    return at;
  }
  char* text(const std::string& value);

  // The result, negative errno values included. A byte that was missed is a failure of the test.
  template <class... A>
  long call(long number, A... args) {
    const long all[6] = {to_long(args)...};
    return checked_call(number, all, agent::syscall_info(number));
  }

  // What is wrong with the areas, if the call was this one. Makes the call.
  std::vector<std::string> problems_of(long number, const long (&args)[6], const agent::SyscallInfo& as,
                                       long* result);

  struct Area {
    const std::byte* begin;
    std::uint64_t size;
  };
  const std::vector<Area>& areas() const { return areas_; }  // of the last call
  std::uint64_t area_bytes() const;

 private:
  template <class T>
  static long to_long(T value) {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<long>(value);
    else if constexpr (std::is_null_pointer_v<T>)
      return 0;
    else
      return static_cast<long>(value);
  }
  std::byte* take(std::size_t bytes);
  long checked_call(long number, const long (&args)[6], const agent::SyscallInfo& as);
  bool offered(const Area& area) const;
  std::string name_of(const std::byte* at) const;

  std::span<std::byte> block_;
  std::size_t used_ = 0;
  std::vector<Area> offers_{};
  std::vector<Area> areas_{};
};

long raw_call(long number, const long* args);  // as the kernel returns it

}  // namespace xbdbg::test
