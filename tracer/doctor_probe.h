// tracer/doctor_probe.h — trying system features in throw-away children, for doctor.cc only.
#pragma once

#include <sys/types.h>

#include <string>

#include "tracer/base/result.h"

namespace xbdbg::probe {

// Runs `attempt` in a forked child: Ok when it returned 0, otherwise an Error that says with which errno it failed
// (the value it returned) or which signal ended it.
Result<> in_child(int (*attempt)());

// A child that does nothing until this object goes.
class IdleChild {
 public:
  IdleChild();
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;
  ~IdleChild();
  pid_t pid() const { return pid_; }  // -1: fork failed

 private:
  pid_t pid_ = -1;
};

Result<> seize_child();        // PTRACE_SEIZE
Result<> read_child_memory();  // process_vm_readv
Result<> dispatch_syscall();   // PR_SET_SYSCALL_USER_DISPATCH

// Attempts for in_child.
int read_fs_base();
int no_address_randomisation();
int sealed_memfd();
int child_subreaper();
int pidfd();
int trapping_time_stamp_counter();
int trapping_cpuid();

}  // namespace xbdbg::probe
