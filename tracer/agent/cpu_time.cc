#include "tracer/agent/cpu_time.h"

#include <time.h>

#include "tracer/agent/clock.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

std::uint64_t CpuTime::now() {
  return observed([] {
    timespec t{};
    sys(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return to_ns(t);
  });
}

void CpuTime::switched(Thread& from) {
  std::uint64_t n = now();
  from.cpu_used += n - slice_start_;
  slice_start_ = n;
}

std::uint64_t CpuTime::of(Thread& t) {
  if (!counting_) {
    counting_ = true;
    slice_start_ = now();
    rt.threads.find_live([&](Thread& each) {
      each.cpu_used = slice_start_ - each.cpu_start;
      return false;
    });
  }
  switched(self());
  return t.cpu_used;
}

}  // namespace xbdbg::agent
