// tracer/agent/lent_scheduling.h — the kernel's one thread takes on the scheduling of the program thread that forks
// or execs.
//
// What the new process or program begins with is then what the kernel passes on. Set afterwards, by a forked child,
// it could undo what the parent has asked for the child meanwhile.
#pragma once

#include <sched.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

class LentScheduling {
 public:
  explicit LentScheduling(const Thread& t) {
    if (rt.journal.replaying()) return;  // nobody is forked
    for (std::uint64_t word : t.affinity) affinity_ |= word != 0;
    policy_ = static_cast<int>(sys(SYS_sched_getscheduler, 0));
    scheduled_ = t.priority > 0 || t.sched_policy != policy_;
    sys(SYS_sched_getparam, 0, &param_);
    if (affinity_) {
      sys(SYS_sched_getaffinity, 0, sizeof cpus_, cpus_);
      sys(SYS_sched_setaffinity, 0, sizeof t.affinity, t.affinity);
    }
    sched_param param{t.sched_priority};
    if (scheduled_) sys(SYS_sched_setscheduler, 0, t.sched_policy, &param);
  }
  void take_back() const {
    if (scheduled_) sys(SYS_sched_setscheduler, 0, policy_, &param_);
    if (affinity_) sys(SYS_sched_setaffinity, 0, sizeof cpus_, cpus_);
  }

 private:
  bool scheduled_ = false, affinity_ = false;
  int policy_ = 0;
  sched_param param_{};
  std::uint64_t cpus_[16] = {};
};

}  // namespace xbdbg::agent
