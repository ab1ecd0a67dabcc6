// tracer/spin_probe.h — steps through a stopped target to find out whether it is in a pure spin loop (spin_loop.h).
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "tracer/base/result.h"
#include "tracer/brief_stop.h"
#include "tracer/spin_loop.h"
#include "tracer/symbols/disassembler.h"

namespace xbdbg {

class SpinProbe {
 public:
  explicit SpinProbe(Disassembler disassembler) : disassembler_(std::move(disassembler)) {}

  // Takes about as long as `patience` when there is none. When there is a loop, the target stands in its resting
  // state on return.
  Result<std::optional<SpinLoop>> probe(BriefStop& stop, std::chrono::nanoseconds patience) const;

 private:
  using Code = std::map<std::uint64_t, Instruction>;  // of one probe: the program may change its code

  Result<const Instruction*> decode(BriefStop& stop, Code& code) const;
  Disassembler disassembler_;
};

}  // namespace xbdbg
