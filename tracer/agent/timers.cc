#include "tracer/agent/timers.h"

#include <errno.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

void Timers::init() {
  for (Timer& t : timers_) t = Timer{};
  timers_[0].used = true;
  timers_[0].clock = CLOCK_REALTIME;
  timers_[0].event.sigev_notify = SIGEV_SIGNAL;
  timers_[0].event.sigev_signo = SIGALRM;
  timers_[0].expiry = kNever;
  next_ = kNever;
}

void Timers::bequeath(Heritage& h) const {
  const Timer& t = timers_[0];
  std::uint64_t now = rt.clock.now();
  h.alarm_left_ns = t.expiry == kNever ? kNever : t.expiry > now ? t.expiry - now : 0;
  h.alarm_interval_ns = t.interval;
}

void Timers::inherit(const Heritage& h) {
  timers_[0].expiry = h.alarm_left_ns == kNever ? kNever : rt.clock.now() + h.alarm_left_ns;
  timers_[0].interval = h.alarm_interval_ns;
  update_next();
}

void Timers::update_next() {
  next_ = kNever;
  for (const Timer& t : timers_)
    if (t.used && t.expiry < next_) next_ = t.expiry;
  rt.scheduler.moments_changed();
  rt.arena->status.timers_armed.store(next_ != kNever, std::memory_order_relaxed);
}

void Timers::fire(std::uint64_t now) {
  for (Timer& t : timers_) {
    if (!t.used || t.expiry > now) continue;
    bool itimer = &t == timers_;
    int id = kFirstTimerId + static_cast<int>(&t - timers_);
    // While the signal of an earlier expiration is pending, one more is an overrun, and no signal.
    bool pending = !itimer && rt.signals.timer_pending(t.event.sigev_signo, id);
    std::uint64_t overrun = pending ? static_cast<std::uint64_t>(t.overrun) + 1 : 0;
    if (t.interval == 0) {
      t.expiry = kNever;
    } else {
      std::uint64_t periods = (now - t.expiry) / t.interval;
      overrun += periods;
      t.expiry += (periods + 1) * t.interval;
    }
    t.overrun = static_cast<int>(overrun < 0x7fffffff ? overrun : 0x7fffffff);
    if (t.event.sigev_notify == SIGEV_NONE || pending) continue;
    siginfo_t info{};
    info.si_code = itimer ? SI_KERNEL : SI_TIMER;
    if (!itimer) {
      info.si_timerid = id;
      info.si_overrun = t.overrun;
      info.si_value = t.event.sigev_value;
    }
    Thread* target = nullptr;
    if (t.event.sigev_notify == SIGEV_THREAD_ID) target = rt.threads.by_tid(t.event._sigev_un._tid);
    rt.signals.post(t.event.sigev_signo, info, target);
  }
  update_next();
}

itimerspec Timers::remaining(const Timer& t) const {
  itimerspec s{};
  s.it_interval = to_timespec(t.interval);
  if (t.expiry != kNever) s.it_value = to_timespec(t.expiry > rt.clock.now() ? t.expiry - rt.clock.now() : 1);
  return s;
}

// ---------------------------------------------------------------------------------------------------------------
// ITIMER_REAL.

static timeval to_timeval(const timespec& t) { return {t.tv_sec, (t.tv_nsec + 999) / 1000}; }
static std::uint64_t to_ns(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(t.tv_usec) * 1000;
}

long Timers::getitimer(itimerval* value) const {
  itimerspec s = remaining(timers_[0]);
  *value = {to_timeval(s.it_interval), to_timeval(s.it_value)};
  return 0;
}

long Timers::setitimer(const itimerval* value, itimerval* old) {
  if (value &&
      (value->it_value.tv_usec < 0 || value->it_value.tv_usec >= 1'000'000 || value->it_value.tv_sec < 0 ||
       value->it_interval.tv_usec < 0 || value->it_interval.tv_usec >= 1'000'000 || value->it_interval.tv_sec < 0))
    return -EINVAL;
  itimerval before{};
  getitimer(&before);
  std::uint64_t ns = value ? to_ns(value->it_value) : 0;
  timers_[0].expiry = ns ? rt.clock.now() + ns : kNever;
  timers_[0].interval = value ? to_ns(value->it_interval) : 0;
  update_next();
  if (old) *old = before;
  return 0;
}

long Timers::alarm(unsigned seconds) {
  itimerval value{{}, {static_cast<time_t>(seconds), 0}}, old{};
  setitimer(&value, &old);
  return old.it_value.tv_sec +
         (old.it_value.tv_usec >= 500'000 || (old.it_value.tv_sec == 0 && old.it_value.tv_usec));
}

// ---------------------------------------------------------------------------------------------------------------
// POSIX timers.

const Timers::Timer* Timers::find(int id) const {
  int i = id - kFirstTimerId;
  return i > 0 && i < kMaxTimers && timers_[i].used ? &timers_[i] : nullptr;
}

long Timers::create(clockid_t clock, const sigevent* event, int* id) {
  if (event && event->sigev_notify != SIGEV_NONE && (event->sigev_signo < 1 || event->sigev_signo > kSignals))
    return -EINVAL;
  for (int i = 1; i < kMaxTimers; i++) {
    Timer& t = timers_[i];
    if (t.used) continue;
    t = Timer{};
    t.used = true;
    t.clock = clock;
    t.expiry = kNever;
    *id = kFirstTimerId + i;
    if (event) {
      t.event = *event;
    } else {
      t.event.sigev_notify = SIGEV_SIGNAL;
      t.event.sigev_signo = SIGALRM;
      t.event.sigev_value.sival_int = *id;
    }
    return 0;
  }
  return -EAGAIN;
}

long Timers::settime(int id, int flags, const itimerspec* value, itimerspec* old) {
  auto* t = const_cast<Timer*>(find(id));
  if (!t || !value || !valid_ns(value->it_value) || !valid_ns(value->it_interval) || value->it_value.tv_sec < 0)
    return -EINVAL;
  itimerspec before = remaining(*t);
  t->interval = to_ns(value->it_interval);
  if (value->it_value.tv_sec == 0 && value->it_value.tv_nsec == 0)
    t->expiry = kNever;
  else if (flags & TIMER_ABSTIME)
    t->expiry = rt.clock.from_absolute(t->clock, value->it_value);
  else
    t->expiry = rt.clock.from_relative(value->it_value);
  update_next();
  if (old) *old = before;
  expire(rt.clock.now());
  return 0;
}

long Timers::gettime(int id, itimerspec* value) const {
  const Timer* t = find(id);
  if (!t) return -EINVAL;
  *value = remaining(*t);
  return 0;
}

long Timers::getoverrun(int id) const {
  const Timer* t = find(id);
  return t ? t->overrun : -EINVAL;
}

long Timers::remove(int id) {
  auto* t = const_cast<Timer*>(find(id));
  if (!t) return -EINVAL;
  t->used = false;
  update_next();
  return 0;
}

// Ids are reused after timer_delete, which we need not see: the newest use of one counts.
void Timers::forward(int kernel_id, const sigevent& event) {
  int i = 0;
  while (i < forwarded_count_ && forwarded_[i].kernel_id != kernel_id) i++;
  if (i == kMaxForwarded) fail("more than %d CPU-time timers that notify a thread", std::uint64_t{kMaxForwarded});
  if (i == forwarded_count_) forwarded_count_++;
  forwarded_[i] = {kernel_id, event};
}

void Timers::forward_expiry(const siginfo_t& expiry) {
  for (int i = 0; i < forwarded_count_; i++) {
    const Forwarded& f = forwarded_[i];
    if (f.kernel_id != expiry.si_timerid) continue;
    siginfo_t info = expiry;
    info.si_value = f.event.sigev_value;
    rt.signals.post(f.event.sigev_signo, info, rt.threads.by_tid(f.event._sigev_un._tid));
  }
}

}  // namespace xbdbg::agent
