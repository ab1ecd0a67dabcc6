#include "tracer/agent/clock.h"

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

static std::uint64_t real_ns(clockid_t clock) {
  timespec t{};
  sys(SYS_clock_gettime, clock, &t);
  return to_ns(t);
}

std::uint64_t real_monotonic_ns() { return real_ns(CLOCK_MONOTONIC); }

void Clock::read_real(JournalStart& start) {
  start.realtime_ns = real_ns(CLOCK_REALTIME);
  start.monotonic_ns = real_ns(CLOCK_MONOTONIC);
  start.boottime_ns = real_ns(CLOCK_BOOTTIME);
  start.tai_ns = real_ns(CLOCK_TAI);
}

void Clock::init(const JournalStart& start, bool real_time) {
  real_time_ = real_time;
  now_ = 0;
  realtime_ = start.realtime_ns;
  monotonic_ = start_ = start.monotonic_ns;
  boottime_ = start.boottime_ns;
  tai_ = start.tai_ns;
}

void Clock::bequeath(Heritage& h) const {
  h.now_ns = now_;
  h.realtime_ns = realtime_;
  h.monotonic_ns = monotonic_;
  h.boottime_ns = boottime_;
  h.tai_ns = tai_;
}

void Clock::inherit(const Heritage& h) {
  start_ = start_ - h.now_ns;
  now_ = h.now_ns;
  realtime_ = h.realtime_ns;
  monotonic_ = h.monotonic_ns;
  boottime_ = h.boottime_ns;
  tai_ = h.tai_ns;
}

void Clock::catch_up() {
  if (real_time_) advance_to(observed(real_monotonic_ns) - start_);
}

std::uint64_t Clock::base(clockid_t clock) const {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
      return realtime_;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
      return monotonic_;
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      return boottime_;
    case CLOCK_TAI:
      return tai_;
    default:
      return 0;
  }
}

bool Clock::is_virtual(clockid_t clock) const { return base(clock) != 0; }

timespec Clock::read(clockid_t clock) const { return to_timespec(base(clock) + now_); }

bool Clock::set(clockid_t clock, const timespec& to) {
  if (clock != CLOCK_REALTIME || !valid_ns(to)) return false;
  realtime_ = to_ns(to) - now_;
  return true;
}

std::uint64_t Clock::from_absolute(clockid_t clock, const timespec& at) const {
  std::uint64_t ns = to_ns(at), start = base(clock);
  return ns > start ? ns - start : 0;
}

std::uint64_t Clock::from_relative(const timespec& interval) const {
  std::uint64_t ns = to_ns(interval);
  return ns > ~std::uint64_t{0} - 1 - now_ ? ~std::uint64_t{0} - 1 : now_ + ns;
}

}  // namespace xbdbg::agent
