// Programs that stop themselves deep inside calls; the frames we find must be those glibc's backtrace() printed
// there.
#include "tracer/symbols/unwinder.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/unit/symbols/oracle.h"
#include "tests/unit/symbols/stopped_program.h"
#include "tracer/symbols/symbolizer.h"

namespace xbdbg::test {
namespace {

class UnwinderTest : public testing::Test {
 protected:
  void start(const std::string& mode, int signal = SIGSTOP) {
    program_ = std::make_unique<StoppedProgram>(program_path("deep"), mode, signal);
    ASSERT_EQ(program_->failure(), "");
    symbols_ = std::make_unique<ModuleSymbolizer>(program_->modules(cache_));
  }

  Backtrace unwind(std::size_t max_frames = Unwinder::kDefaultMaxFrames) {
    return Unwinder(symbols_->modules(), program_->memory()).unwind(program_->registers(), max_frames);
  }

  std::vector<std::string> names(const Backtrace& trace) {
    std::vector<std::string> result;
    for (const StackFrame& frame : trace.frames) {
      const Location where =
          frame.pc_is_exact ? symbols_->lookup(frame.pc) : symbols_->lookup_return_address(frame.pc);
      result.push_back(where.frames.empty() ? "?" : function_base(where.frames.back().function));
    }
    return result;
  }

  static std::string function_base(const std::string& name) {
    const std::size_t scope = name.find("(anonymous namespace)::");
    const std::string rest = scope == 0 ? name.substr(23) : name;
    return rest.substr(0, rest.find('('));
  }

  // The frames from stop_here on must be the ones printed, address by address. backtrace() was called a few
  // instructions before the stop, so its first entry is another place in stop_here.
  void expect_printed_frames(const Backtrace& trace) {
    const std::vector<std::uint64_t> printed = program_->printed_backtrace();
    ASSERT_GT(printed.size(), 4u);
    const std::vector<std::string> functions = names(trace);
    const auto stop = std::find(functions.begin(), functions.end(), "stop_here");
    ASSERT_NE(stop, functions.end()) << testing::PrintToString(functions);
    const auto first = static_cast<std::size_t>(stop - functions.begin());
    std::vector<std::uint64_t> ours;
    for (std::size_t i = first + 1; i < trace.frames.size(); ++i) ours.push_back(trace.frames[i].pc.raw());
    EXPECT_EQ(ours, std::vector<std::uint64_t>(printed.begin() + 1, printed.end()))
        << testing::PrintToString(functions);
  }

  std::unique_ptr<StoppedProgram> program_;
  ImageCache cache_;
  std::unique_ptr<ModuleSymbolizer> symbols_;
};

struct Case {
  const char* mode;
  std::vector<std::string> contains;  // these functions, in this order
};

class UnwinderAgainstGlibc : public UnwinderTest, public testing::WithParamInterface<Case> {};

TEST_P(UnwinderAgainstGlibc, FindsTheSameFrames) {
  start(GetParam().mode);
  if (HasFatalFailure()) return;
  const Backtrace trace = unwind();
  EXPECT_EQ(trace.end, UnwindEnd::outermost);
  expect_printed_frames(trace);
  const std::vector<std::string> functions = names(trace);
  auto at = functions.begin();
  for (const std::string& expected : GetParam().contains) {
    at = std::find(at, functions.end(), expected);
    ASSERT_NE(at, functions.end()) << expected << " not in " << testing::PrintToString(functions);
    ++at;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, UnwinderAgainstGlibc,
    testing::Values(Case{"recurse", {"stop_here", "leaf", "recurse", "recurse", "recurse", "main", "_start"}},
                    Case{"alloca", {"stop_here", "leaf", "recurse", "with_alloca", "main", "_start"}},
                    Case{"libc", {"stop_here", "leaf", "compare", "through_libc", "main", "_start"}},
                    Case{"function", {"stop_here", "leaf", "recurse", "through_function", "main", "_start"}},
                    Case{"exception", {"stop_here", "leaf", "Guard::~Guard", "throw_past_guard", "main", "_start"}},
                    Case{"signal", {"stop_here", "leaf", "on_signal", "raise_signal", "main", "_start"}},
                    Case{"thread", {"stop_here", "leaf", "recurse", "recurse", "recurse", "thread_main"}}),
    [](const auto& case_info) { return std::string(case_info.param.mode); });

TEST_F(UnwinderTest, LeavesASignalFrameWithoutCfiByTheRestorersBytes) {
  start("bare_signal");
  if (HasFatalFailure()) return;
  const Backtrace trace = unwind();
  const std::vector<std::string> functions = names(trace);
  const auto handler = std::find(functions.begin(), functions.end(), "on_signal");
  ASSERT_NE(handler, functions.end()) << testing::PrintToString(functions);
  const auto restorer = static_cast<std::size_t>(handler - functions.begin()) + 1;
  ASSERT_LT(restorer + 1, functions.size());
  EXPECT_EQ(functions[restorer], "bare_restorer");
  EXPECT_TRUE(trace.frames[restorer].is_signal_trampoline);
  EXPECT_TRUE(trace.frames[restorer + 1].pc_is_exact);
  EXPECT_NE(std::find(functions.begin(), functions.end(), "raise_signal_without_libc"), functions.end());
  EXPECT_EQ(functions.back(), "_start");
}

TEST_F(UnwinderTest, UsesFramePointersWhereThereIsNoCfi) {
  start("frame_pointer");
  if (HasFatalFailure()) return;
  const std::vector<std::string> functions = names(unwind());
  const auto leaf = std::find(functions.begin(), functions.end(), "leaf");
  ASSERT_GE(functions.end() - leaf, 4) << testing::PrintToString(functions);
  EXPECT_EQ(std::vector<std::string>(leaf, leaf + 4),
            (std::vector<std::string>{"leaf", "inner", "by_frame_pointer", "main"}));
}

TEST_F(UnwinderTest, UsesDebugFrameWhereThereIsNoEhFrame) {
  start("debug_frame");
  if (HasFatalFailure()) return;
  const std::vector<std::string> functions = names(unwind());
  const auto leaf = std::find(functions.begin(), functions.end(), "leaf");
  ASSERT_GE(functions.end() - leaf, 4) << testing::PrintToString(functions);
  EXPECT_EQ(std::vector<std::string>(leaf, leaf + 4),
            (std::vector<std::string>{"leaf", "inner", "by_debug_frame", "main"}));
}

TEST_F(UnwinderTest, ReturnsFromACallThroughABadPointer) {
  start("bad_call", SIGSEGV);
  if (HasFatalFailure()) return;
  const Backtrace trace = unwind();
  EXPECT_EQ(trace.frames[0].pc, Addr(0));
  const std::vector<std::string> functions = names(trace);
  ASSERT_GE(functions.size(), 3u);
  EXPECT_EQ(functions[1], "call_nowhere");
  EXPECT_EQ(functions[2], "main");
}

TEST_F(UnwinderTest, EveryInstructionOfACallHasTheSameCallers) {
  start("step");
  if (HasFatalFailure()) return;
  const Backtrace before = unwind();
  const std::vector<std::string> functions = names(before);
  const auto main_at =
      static_cast<std::size_t>(std::find(functions.begin(), functions.end(), "main") - functions.begin());
  ASSERT_LT(main_at, functions.size());
  const Addr main_cfa = before.frames[main_at].cfa.value_or(Addr(0));
  const std::size_t outer = before.frames.size() - main_at - 1;  // frames outside main
  std::size_t steps = 0;
  std::size_t deepest = 0;
  for (; steps < 6000 && program_->single_step(); ++steps) {
    if (symbols_->modules().find(Addr(*program_->registers().get(Reg::rip))) == nullptr) {  // a library was loaded
      symbols_->set_modules(program_->modules(cache_));
    }
    const Backtrace trace = unwind();
    const std::size_t inside = trace.frames.size() - std::min(trace.frames.size(), outer + 1);  // frames below main
    if (inside == 0 && deepest > 0) break;  // walk_me has returned
    if (inside == 0) continue;
    ASSERT_EQ(trace.end, UnwindEnd::outermost) << steps << ": " << testing::PrintToString(names(trace));
    const StackFrame& main_frame = trace.frames[trace.frames.size() - outer - 1];
    ASSERT_EQ(main_frame.cfa, main_cfa) << steps << ": " << testing::PrintToString(names(trace));
    if (names(trace)[inside - 1] == "walk_me") deepest = std::max(deepest, inside);
  }
  EXPECT_GT(steps, 1500u);  // dynamic linking of two functions, and their work
  EXPECT_GE(deepest, 4u);
}

// The stack as a copied piece: what lies outside it cannot be read.
class SliceReader : public MemoryReader {
 public:
  SliceReader(MemoryReader& whole, Addr start, std::size_t size) : start_(start), bytes_(size) {
    ok_ = whole.read(start, bytes_);
  }
  bool ok() const { return ok_; }
  bool read(Addr address, std::span<std::byte> out) override {
    if (address < start_ || address - start_ > bytes_.size() || out.size() > bytes_.size() - (address - start_)) {
      return false;
    }
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(address - start_), out.size(), out.begin());
    return true;
  }

 private:
  Addr start_;
  std::vector<std::byte> bytes_;
  bool ok_ = false;
};

TEST_F(UnwinderTest, EndsCleanlyAtTheEdgeOfACopiedStack) {
  start("signal");
  if (HasFatalFailure()) return;
  const Backtrace whole = unwind();
  const RegisterSet registers = program_->registers();
  std::size_t most = 0;
  for (std::size_t size = 8; size < 24'000; size += size < 1200 ? 40 : 504) {  // a signal frame has up to 12 KiB
    SliceReader slice(program_->memory(), Addr(*registers.get(Reg::rsp)), size);
    if (!slice.ok()) break;  // the end of the stack
    const Backtrace part = Unwinder(symbols_->modules(), slice).unwind(registers);
    ASSERT_LE(part.frames.size(), whole.frames.size());
    for (std::size_t i = 0; i < part.frames.size(); ++i) EXPECT_EQ(part.frames[i].pc, whole.frames[i].pc);
    if (part.frames.size() < whole.frames.size()) {
      EXPECT_EQ(part.end, UnwindEnd::unreadable_memory) << size;
    }
    most = std::max(most, part.frames.size());
  }
  EXPECT_EQ(most, whole.frames.size());  // the code need not be readable, not even for the signal frame
}

TEST_F(UnwinderTest, StopsAtTheDepthAsked) {
  start("recurse");
  if (HasFatalFailure()) return;
  const Backtrace trace = unwind(5);
  EXPECT_EQ(trace.frames.size(), 5u);
  EXPECT_EQ(trace.end, UnwindEnd::depth_limit);
}

TEST_F(UnwinderTest, SurvivesRandomRegisters) {
  start("recurse");
  if (HasFatalFailure()) return;
  const RegisterSet good = program_->registers();
  std::uint64_t state = 42;
  for (int i = 0; i < 500; ++i) {
    RegisterSet registers = good;
    for (const Reg reg : {Reg::rsp, Reg::rbp, Reg::rip}) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if ((state >> 33) % 2 == 0) registers.set(reg, *good.get(reg) + (state >> 40) % 4096 - 2048);
      if ((state >> 35) % 5 == 0) registers.set(reg, state);
    }
    const Backtrace trace = Unwinder(symbols_->modules(), program_->memory()).unwind(registers, 64);
    EXPECT_LE(trace.frames.size(), 64u);
    EXPECT_GE(trace.frames.size(), 1u);
  }
}

TEST_F(UnwinderTest, WithoutAPcThereIsNothingToUnwind) {
  ModuleMap modules;
  ProcessMemory memory(-1);
  EXPECT_EQ(Unwinder(modules, memory).unwind(RegisterSet()).end, UnwindEnd::no_rule);
}

}  // namespace
}  // namespace xbdbg::test
