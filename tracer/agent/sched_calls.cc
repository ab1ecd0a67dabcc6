// tracer/agent/sched_calls.cc — scheduling parameters and affinity of threads the kernel does not know.
//
// They are kept per thread and never applied to the one kernel thread; a real-time priority decides which threads
// are candidates to run next, as it would on one processor.

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

namespace {

Thread* thread_of(long id) {  // nullptr: not one of ours
  if (id == 0) return &self();
  return rt.threads.by_tid(static_cast<int>(id));
}

bool is_realtime(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR; }

long check(int policy, int priority) {
  int base = policy & ~SCHED_RESET_ON_FORK;
  if (base != SCHED_OTHER && base != SCHED_BATCH && base != SCHED_IDLE && !is_realtime(base)) return -EINVAL;
  if (is_realtime(base) ? priority < 1 || priority > 99 : priority != 0) return -EINVAL;
  rlimit limit{};
  world(SYS_getrlimit, RLIMIT_RTPRIO, &limit);
  if (is_realtime(base) && world(SYS_geteuid) != 0 && static_cast<rlim_t>(priority) > limit.rlim_cur) return -EPERM;
  return 0;
}

long apply(Thread& t, int policy, int priority) {
  long error = check(policy, priority);
  if (error) return error;
  t.sched_policy = policy;
  t.sched_priority = priority;
  t.priority = static_cast<std::uint8_t>(is_realtime(policy & ~SCHED_RESET_ON_FORK) ? priority : 0);
  if (t.priority > 0) rt.scheduler.use_priorities();
  rt.scheduler.point(Point::block_end);
  return 0;
}

}  // namespace

long call_sched_setscheduler(const Call& c) {
  Thread* t = thread_of(c.args[0]);
  auto* param = reinterpret_cast<const sched_param*>(c.args[2]);
  if (!t) return pass(c);
  return param ? apply(*t, static_cast<int>(c.args[1]), param->sched_priority) : -EINVAL;
}

long call_sched_getscheduler(const Call& c) {
  Thread* t = thread_of(c.args[0]);
  return t ? t->sched_policy : pass(c);
}

long call_sched_setparam(const Call& c) {
  Thread* t = thread_of(c.args[0]);
  auto* param = reinterpret_cast<const sched_param*>(c.args[1]);
  if (!t) return pass(c);
  return param ? apply(*t, t->sched_policy, param->sched_priority) : -EINVAL;
}

long call_sched_getparam(const Call& c) {
  Thread* t = thread_of(c.args[0]);
  if (!t) return pass(c);
  if (!c.args[1]) return -EINVAL;
  reinterpret_cast<sched_param*>(c.args[1])->sched_priority = t->sched_priority;
  return 0;
}

long call_sched_rr_get_interval(const Call& c) {
  return thread_of(c.args[0]) ? world(SYS_sched_rr_get_interval, 0, c.args[1]) : pass(c);
}

long call_sched_setaffinity(const Call& c) {
  Thread* t = thread_of(c.args[0]);
  if (!t) return pass(c);
  std::uint64_t possible[16] = {}, wanted[16] = {};
  world(SYS_sched_getaffinity, 0, sizeof possible, possible);
  auto bytes = static_cast<std::uint64_t>(c.args[1]);
  memcpy(wanted, reinterpret_cast<const void*>(c.args[2]), bytes < sizeof wanted ? bytes : sizeof wanted);
  std::uint64_t any = 0;
  for (int i = 0; i < 16; i++) any |= wanted[i] &= possible[i];
  if (!any) return -EINVAL;
  memcpy(t->affinity, wanted, sizeof wanted);
  return 0;
}

long call_sched_getaffinity(const Call& c) {
  Thread* t = thread_of(c.args[0]);
  if (!t) return pass(c);
  long n = world(SYS_sched_getaffinity, 0, c.args[1], c.args[2]);
  std::uint64_t any = 0;
  for (std::uint64_t word : t->affinity) any |= word;
  if (n > 0 && any)
    memcpy(reinterpret_cast<void*>(c.args[2]), t->affinity,
           static_cast<std::uint64_t>(n) < sizeof t->affinity ? static_cast<std::uint64_t>(n) : sizeof t->affinity);
  return n;
}

// The thread runs where its affinity says.
long call_getcpu(const Call& c) {
  unsigned cpu = 0, node = 0;
  long r = world(SYS_getcpu, &cpu, &node, 0);
  const std::uint64_t* affinity = self().affinity;
  bool allowed = cpu < 1024 && (affinity[cpu / 64] >> (cpu % 64) & 1) != 0;
  for (unsigned i = 0; i < 1024 && !allowed; i++)
    if (affinity[i / 64] >> (i % 64) & 1) {
      cpu = i;
      break;
    }
  if (c.args[0]) *reinterpret_cast<unsigned*>(c.args[0]) = cpu;
  if (c.args[1]) *reinterpret_cast<unsigned*>(c.args[1]) = node;
  return r;
}

// nice values of threads: one value for all, that of the kernel thread.
long call_priority(const Call& c) {
  Call mine = c;
  if (c.args[0] == PRIO_PROCESS && c.args[1] >= kFirstTid) {
    if (!thread_of(c.args[1])) return -ESRCH;
    mine.args[1] = 0;
  }
  return pass(mine);
}

}  // namespace xbdbg::agent
