// tracer/symbols/unwinder.h — the frames of a stopped thread, from its registers and memory.
//
// By call frame information where there is some; by the bytes of the signal restorer (mov $15,%rax; syscall) where a
// signal frame has none; by frame pointers otherwise. It calls nothing in the process and needs no ptrace: memory
// comes through a MemoryReader, which may be a live process or a copied piece of its stack. Where a read fails the
// unwind ends, with the frames found so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracer/base/ids.h"
#include "tracer/symbols/cfi.h"
#include "tracer/symbols/module_map.h"
#include "tracer/symbols/registers.h"

namespace xbdbg {

enum class UnwindEnd : std::uint8_t {
  outermost,  // the program's or thread's first function
  unreadable_memory,
  no_rule,      // neither CFI nor a plausible frame pointer
  no_progress,  // the next frame would be this one again: a corrupt stack
  depth_limit,
};

struct StackFrame {
  Addr pc{};
  std::optional<Addr> cfa{};  // the stack pointer before the call into this frame; unknown for the last frame
  RegisterSet registers{};
  // The pc is that of an instruction to be executed (the top frame, one interrupted by a signal), not a return
  // address: look it up with Symbolizer::lookup, others with lookup_return_address.
  bool pc_is_exact = true;
  bool is_signal_trampoline = false;
};

struct Backtrace {
  std::vector<StackFrame> frames{};  // innermost first; the first is the thread itself
  UnwindEnd end = UnwindEnd::outermost;
};

class Unwinder {
 public:
  static constexpr std::size_t kDefaultMaxFrames = 256;

  // Both must outlive the unwinder.
  Unwinder(const ModuleMap& modules, MemoryReader& memory) : modules_(modules), memory_(memory) {}

  Backtrace unwind(const RegisterSet& registers, std::size_t max_frames = kDefaultMaxFrames);

 private:
  struct Step {
    StackFrame caller{};
    UnwindEnd end = UnwindEnd::outermost;
    bool found = false;
  };
  Step step(StackFrame& frame, bool is_top);
  Step step_by_row(StackFrame& frame, const UnwindRow& row, const Module& module);
  Step step_by_frame_pointer(const StackFrame& frame);
  Step step_out_of_signal(StackFrame& frame);
  Step step_out_of_bad_call(const StackFrame& frame);
  std::optional<UnwindRow> row_for(const StackFrame& frame, const Module& module) const;
  std::optional<std::uint64_t> apply(const RegisterRule& rule, std::size_t number, std::uint64_t cfa,
                                     const StackFrame& frame, const Module& module);
  bool is_restorer(Addr pc);

  const ModuleMap& modules_;
  MemoryReader& memory_;
};

}  // namespace xbdbg
