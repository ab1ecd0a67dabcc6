// tracer/agent/clock.h — virtual time.
//
// The program's clocks start at the real time of its launch and from then on advance by a fixed amount per event, so
// that an execution does not depend on the machine's speed. When every thread waits for a moment to come, time jumps
// there. Only a wait for the world outside (a file descriptor, a child process, a signal) takes real time, and moves
// virtual time by as much. Recording is different: the program deals with the world, so its clocks catch up with the
// real ones whenever they are read, and sleeping takes its time.
#pragma once

#include <time.h>

#include <cstdint>

namespace xbdbg::agent {

struct Heritage;
struct JournalStart;

inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

class Clock {
 public:
  // At these times; `real_time`: the clocks follow the real ones, where they are read.
  void init(const JournalStart& start, bool real_time);
  static void read_real(JournalStart&);
  bool real_time() const { return real_time_; }
  void catch_up();
  void bequeath(Heritage&) const;  // over an exec
  void inherit(const Heritage&);
  std::uint64_t now() const { return now_; }  // virtual nanoseconds since the start of the program
  void advance(std::uint64_t ns) { now_ += ns; }
  void advance_to(std::uint64_t moment) {
    if (moment > now_) now_ = moment;
  }

  bool is_virtual(clockid_t) const;  // false: a CPU clock, or one that does not exist
  timespec read(clockid_t) const;    // of a virtual clock
  bool set(clockid_t, const timespec&);

  // The moment `at` of a clock in virtual nanoseconds since the start; past moments are 0.
  std::uint64_t from_absolute(clockid_t, const timespec& at) const;
  std::uint64_t from_relative(const timespec& interval) const;

 private:
  std::uint64_t base(clockid_t) const;

  bool real_time_;
  std::uint64_t now_;
  std::uint64_t start_;  // real CLOCK_MONOTONIC when now_ was 0
  std::uint64_t realtime_, monotonic_, boottime_, tai_;
};

std::uint64_t real_monotonic_ns();

inline bool valid_ns(const timespec& t) { return t.tv_nsec >= 0 && t.tv_nsec < static_cast<long>(kNsPerSecond); }
inline std::uint64_t to_ns(const timespec& t) {  // negative times are 0, far ones saturate
  if (t.tv_sec < 0) return 0;
  auto seconds = static_cast<std::uint64_t>(t.tv_sec);
  if (seconds > 1ull << 33) return ~std::uint64_t{0} - 1;
  return seconds * kNsPerSecond + static_cast<std::uint64_t>(t.tv_nsec);
}
inline timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
}

}  // namespace xbdbg::agent
