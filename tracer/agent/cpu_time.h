// tracer/agent/cpu_time.h — the CPU time of each thread, out of that of the one kernel thread.
//
// Reading the kernel's clock at every switch would cost more than the switch, so it is counted only from the first
// time the program asks for a thread's CPU time; until then a thread is charged with all that passed since its birth.
#pragma once

#include "tracer/agent/thread.h"

namespace xbdbg::agent {

class CpuTime {
 public:
  bool counting() const { return counting_; }
  void thread_started(Thread& t) { t.cpu_start = now(); }
  void switched(Thread& from);
  std::uint64_t of(Thread&);  // nanoseconds

 private:
  static std::uint64_t now();

  bool counting_;
  std::uint64_t slice_start_;
};

}  // namespace xbdbg::agent
