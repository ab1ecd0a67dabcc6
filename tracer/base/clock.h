// tracer/base/clock.h — time is passed in, so that tests decide what it is.
//
// Code that waits or measures takes a Clock&. main makes the one SystemClock; a test makes a ManualClock.
#pragma once

#include <chrono>

namespace xbdbg {

class Clock {
 public:
  using Time = std::chrono::nanoseconds;  // since some fixed moment; never goes back
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

class ManualClock final : public Clock {
 public:
  Time now() const override { return now_; }
  void advance(Time by) { now_ += by; }

 private:
  Time now_{};
};

}  // namespace xbdbg
