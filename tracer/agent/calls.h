// tracer/agent/calls.h — the system calls that the agent answers itself, by family.
//
// dispatch_system_call() (syscalls.cc) is where Syscall User Dispatch arrives; it looks the call up in one table.
// Every function here returns what the kernel would: a result, or a negative errno value.
#pragma once

#include <ucontext.h>

#include "tracer/agent/thread.h"

namespace xbdbg::agent {

struct Call {
  long number;
  long args[6];
  ucontext_t* context;
  Caller caller;
};

void dispatch_system_call(ucontext_t*);
long pass(const Call&);  // to the kernel, as it is

// futex.cc
long call_futex(const Call&);
long call_futex_waitv(const Call&);
void finish_robust_list(Thread&);
std::uint32_t futex_wake(std::uint64_t address, std::uint32_t count, std::uint32_t bitset = ~0u);

// clone.cc
long call_clone(const Call&);
long call_clone3(const Call&);
long call_fork(const Call&);
long call_vfork(const Call&);
long call_exit(const Call&);
long call_exit_group(const Call&);

// exec.cc
long call_execve(const Call&);

// time_calls.cc
long call_clock_gettime(const Call&);
long call_clock_getres(const Call&);
long call_clock_settime(const Call&);
long call_gettimeofday(const Call&);
long call_time(const Call&);
long call_nanosleep(const Call&);
long call_clock_nanosleep(const Call&);
long call_sched_yield(const Call&);
long call_alarm(const Call&);
long call_setitimer(const Call&);
long call_getitimer(const Call&);
long call_timer_create(const Call&);
long call_timer_settime(const Call&);
long call_timer_gettime(const Call&);
long call_timer_getoverrun(const Call&);
long call_timer_delete(const Call&);

// sched_calls.cc
long call_sched_setscheduler(const Call&);
long call_sched_getscheduler(const Call&);
long call_sched_setparam(const Call&);
long call_sched_getparam(const Call&);
long call_sched_rr_get_interval(const Call&);
long call_sched_setaffinity(const Call&);
long call_sched_getaffinity(const Call&);
long call_getcpu(const Call&);
long call_priority(const Call&);

// io_calls.cc
long call_read_like(const Call&);
long call_write_like(const Call&);
long call_sendmmsg(const Call&);
long call_recvmmsg(const Call&);
long call_splice(const Call&);
long call_vmsplice(const Call&);
long call_sendfile(const Call&);
long call_open(const Call&);

// blocking.cc
long call_poll(const Call&);
long call_ppoll(const Call&);
long call_select(const Call&);
long call_pselect(const Call&);
long call_epoll_wait(const Call&);
long call_wait4(const Call&);
long call_waitid(const Call&);
long call_flock(const Call&);
long call_fcntl(const Call&);
long call_msgrcv(const Call&);
long call_msgsnd(const Call&);
long call_semop(const Call&);
long call_mq_timed(const Call&);
long call_connect(const Call&);

// file_mappings.cc
long call_mmap(const Call&);
long call_shmat(const Call&);
long call_shmdt(const Call&);

}  // namespace xbdbg::agent
