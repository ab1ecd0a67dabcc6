// tracer/auxv.h — the auxiliary vector on a fresh program's stack, and the two entries that must not vary.
//
// Pure: works on a copy of the stack's words, from the stack pointer at the exec stop upwards
// (argc, argv..., 0, envp..., 0, auxv...), and says what to write where.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tracer/base/ids.h"

namespace xbdbg {

struct AuxvPlaces {
  std::optional<Addr> vdso_type{};     // address of the type word of AT_SYSINFO_EHDR; make it AT_IGNORE
  std::optional<Addr> random_bytes{};  // value of AT_RANDOM: address of 16 bytes
};

// Nothing when `words` does not reach AT_NULL: read more of the stack.
std::optional<AuxvPlaces> find_in_auxv(std::span<const std::uint64_t> words, Addr stack_pointer);

}  // namespace xbdbg
