// tests/unit/symbols/stopped_program.h — a test program run under ptrace until it stops itself. For tests only: the
// symbols library never traces.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tracer/symbols/module_map.h"
#include "tracer/symbols/registers.h"
#include "tracer/symbols/unwinder.h"

namespace xbdbg::test {

class ProcessMemory : public MemoryReader {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}
  bool read(Addr address, std::span<std::byte> out) override;

 private:
  pid_t pid_;
};

class StoppedProgram {
 public:
  // Runs `path mode` until it stops with `signal`, in whichever of its threads.
  StoppedProgram(const std::string& path, const std::string& mode, int signal);
  ~StoppedProgram();
  StoppedProgram(const StoppedProgram&) = delete;
  StoppedProgram& operator=(const StoppedProgram&) = delete;

  const std::string& failure() const { return failure_; }  // empty: it stopped as asked
  RegisterSet registers() const;
  ProcessMemory& memory() { return memory_; }
  std::vector<std::uint64_t> printed_backtrace() const { return printed_; }
  ModuleMap modules(ImageCache& cache) const;
  bool single_step();  // false: it ended

 private:
  void read_output(int fd);

  pid_t pid_ = -1;
  pid_t tid_ = -1;
  std::string failure_;
  ProcessMemory memory_{-1};
  std::vector<std::uint64_t> printed_;
};

}  // namespace xbdbg::test
