// tracer/auxv.h — what the kernel puts on a fresh program's stack: arguments, environment, auxiliary vector.
//
// Pure: works on a copy of the stack's words, from the stack pointer at the exec stop upwards
// (argc, argv..., 0, envp..., 0, auxv...), and says what is where.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tracer/base/ids.h"
#include "tracer/start_image.h"

namespace xbdbg {

struct StartStack {
  std::vector<Addr> argv{};
  std::vector<Addr> env{};
  std::vector<AuxvEntry> auxv{};  // without AT_NULL
  Addr auxv_at{};

  std::optional<std::uint64_t> value(std::uint64_t type) const;
  Addr place(std::size_t index) const { return auxv_at + index * sizeof(AuxvEntry); }  // of auxv[index]
};

// Nothing when `words` does not reach AT_NULL: read more of the stack.
std::optional<StartStack> parse_start_stack(std::span<const std::uint64_t> words, Addr stack_pointer);

}  // namespace xbdbg
