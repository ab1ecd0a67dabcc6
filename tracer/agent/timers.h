// tracer/agent/timers.h — alarm, setitimer(ITIMER_REAL) and POSIX timers in virtual time.
//
// The kernel would fire them in real time, which has nothing to do with the program's clocks here. CPU-time timers
// (ITIMER_VIRTUAL, ITIMER_PROF, CLOCK_*_CPUTIME_ID) stay the kernel's.
#pragma once

#include <signal.h>
#include <sys/time.h>

#include <cstdint>

#include "tracer/agent/clock.h"

namespace xbdbg::agent {

inline constexpr int kMaxTimers = 128;
inline constexpr int kFirstTimerId = 1 << 20;  // ids of ours; the kernel's are small

class Timers {
 public:
  void init();
  void bequeath(Heritage&) const;  // ITIMER_REAL survives an exec; the others do not
  void inherit(const Heritage&);
  std::uint64_t next() const { return next_; }
  void expire(std::uint64_t now) {
    if (now >= next_) fire(now);
  }

  long alarm(unsigned seconds);
  long setitimer(const itimerval* value, itimerval* old);
  long getitimer(itimerval* value) const;
  long create(clockid_t, const sigevent*, int* id);
  long settime(int id, int flags, const itimerspec* value, itimerspec* old);
  long gettime(int id, itimerspec* value) const;
  long getoverrun(int id) const;
  long remove(int id);
  // A timer of the kernel's that shall notify a thread the kernel does not know: it sends us SIGSYS instead.
  void forward(int kernel_id, const sigevent&);
  void forward_expiry(const siginfo_t&);
  bool ours(int id) const { return id >= kFirstTimerId; }

 private:
  struct Timer {
    bool used;
    clockid_t clock;
    sigevent event;
    std::uint64_t expiry;  // virtual; kNever: disarmed
    std::uint64_t interval;
    int overrun;
  };

  void fire(std::uint64_t now);
  void update_next();
  const Timer* find(int id) const;
  itimerspec remaining(const Timer&) const;

  struct Forwarded {
    int kernel_id;
    sigevent event;
  };
  static constexpr int kMaxForwarded = 32;

  Forwarded forwarded_[kMaxForwarded];
  int forwarded_count_;
  Timer timers_[kMaxTimers];  // the first is ITIMER_REAL
  std::uint64_t next_;
};

}  // namespace xbdbg::agent
