// tracer/agent/clone.cc — threads are born and die, processes fork.
//
// NOTE [No kernel threads]: pthread_create ends in clone3(CLONE_VM|CLONE_THREAD|CLONE_SETTLS, ...). We do not make
// that kernel thread. The call returns a tid of ours, and the registers it was made with, with rax = 0 and the new
// stack and TLS, become a context that the scheduler runs when it pleases: glibc's start_thread then runs there as
// it always does. When it ends in exit(0), we do what the kernel would: walk the robust list, clear the tid, wake who
// waits for it. So a thread costs no kernel thread, tids are the same in every run, and fork copies all there is.
// It covers every thread glibc makes, also those of SIGEV_THREAD timers, aio or getaddrinfo_a.

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/cpu_traps.h"
#include "tracer/agent/lent_scheduling.h"
#include "tracer/agent/runtime.h"
#include "tracer/agent/state_hash.h"
#include "tracer/agent/stream.h"

namespace xbdbg::agent {

namespace {

std::uint64_t word(long v) { return static_cast<std::uint64_t>(v); }

// The switch frame that xb_switch pops: x87/SSE control words, r15 r14 r13 r12 rbx rbp, return address.
void prepare_context(Thread& t, const ucontext_t& creator, std::uint64_t stack_top, std::uint64_t tls) {
  memcpy(t.start_registers, creator.uc_mcontext.gregs, sizeof t.start_registers);
  t.start_registers[REG_RSP] = static_cast<greg_t>(stack_top);
  std::uint32_t mxcsr = 0x1f80;
  std::uint16_t fpu_control = 0x37f;
  if (creator.uc_mcontext.fpregs) {  // a new thread inherits rounding modes and masks
    mxcsr = creator.uc_mcontext.fpregs->mxcsr & 0xffc0;
    fpu_control = creator.uc_mcontext.fpregs->cwd;
  }
  auto* frame = reinterpret_cast<std::uint64_t*>((stack_top & ~15ull) - 256);
  frame[0] = mxcsr | std::uint64_t{fpu_control} << 32;
  for (int i = 1; i <= 6; i++) frame[i] = 0;
  frame[5] = address(t.start_registers);  // rbx
  frame[7] = reinterpret_cast<std::uint64_t>(&xb_start_thread);
  t.context = {frame, tls};
}

extern "C" void xb_thread_begins() {
  rt.signals.after_switch();
  event(Operation::thread_start, self().index, 0,
        {static_cast<std::uint64_t>(self().start_registers[REG_RIP]),
         static_cast<std::uint64_t>(self().start_registers[REG_RSP]), 0});
  rt.in_agent = false;
  if (rt.journal.active()) wipe_stack_below();
}

long start_thread(const clone_args& a, const Call& c) {
  constexpr std::uint64_t kNeeded = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_SETTLS;
  if ((a.flags & kNeeded) != kNeeded || a.stack == 0)
    fail(
        "a thread is created by clone with flags %x, without the TLS or stack of a pthread: only threads of glibc "
        "are supported",
        std::uint64_t{a.flags});
  Thread* t = rt.threads.make();
  if (!t) return -EAGAIN;
  Thread& creator = self();
  rt.stacks.add(a.stack, a.stack + a.stack_size);
  prepare_context(*t, *c.context, a.stack + a.stack_size, a.tls);
  if (a.flags & CLONE_PARENT_SETTID) *reinterpret_cast<int*>(a.parent_tid) = t->tid;
  if (a.flags & CLONE_CHILD_SETTID) *reinterpret_cast<int*>(a.child_tid) = t->tid;
  if (a.flags & CLONE_CHILD_CLEARTID) {
    t->clear_tid = reinterpret_cast<int*>(a.child_tid);
    // The same member of main's descriptor is what a pthread_join(main) waits for; it was set before we were here.
    Thread* main = rt.threads.main();
    if (!main->clear_tid) main->clear_tid = reinterpret_cast<int*>(main->context.fs_base + (a.child_tid - a.tls));
  }
  t->view->created_by = creator.index;
  t->view->created_pc = creator.view->waiting_pc;
  memcpy(t->view->name, creator.view->name, kNameBytes);
  t->sched_policy = creator.sched_policy;
  t->sched_priority = creator.sched_priority;
  t->priority = creator.priority;
  memcpy(t->affinity, creator.affinity, sizeof t->affinity);
  rt.signals.thread_started(*t, creator);
  rt.cpu_time.thread_started(*t);
  t->named = creator.named;
  if (t->named) write_name(*t);
  rt.scheduler.add_ready(t);
  return t->tid;
}

// In the child of a fork: it runs natively from here on, with real threads if it makes any.
void become_native() {
  if (self().named) sys(SYS_prctl, PR_SET_NAME, self().view->name);
  rt.signals.become_native(self());
  trap_instructions(false);
  sys(SYS_munmap, rt.arena, rt.arena->bytes());
  rt.engaged = false;
}

// A child that shared our memory until its exec may have written there: posix_spawn's reports its failure in the
// frame of its caller, and system calls that fail set errno.
void write_spawn(const Call& c, long r) {
  constexpr std::uint64_t kFrames = 2048, kPage = 4096;
  std::uint64_t sp = c.caller.sp, end = (sp & ~(kPage - 1)) + kPage;
  unsigned char resident = 0;
  while (end < sp + kFrames && sys(SYS_mincore, end, kPage, &resident) == 0) end += kPage;
  iovec written[2] = {{&errno, sizeof(int)}, {reinterpret_cast<void*>(sp), end < sp + kFrames ? end - sp : kFrames}};
  rt.journal.made(c, r, written, 2);
}

// A child process with memory of its own. Both return through the signal frame of this call.
long fork_process(const Call& c, long number, const long* args) {
  rt.shared_watch.begin();
  LentScheduling scheduling(self());
  long r = rt.journal.replaying() ? rt.journal.take_answer(c.number)
                                  : sys(number, args[0], args[1], args[2], args[3], args[4], args[5]);
  if (r == 0) {
    become_native();
    memcpy(&c.context->uc_sigmask, &self().mask, sizeof self().mask);
    return r;
  }
  scheduling.take_back();
  if (r > 0) rt.children++;
  if (rt.journal.recording()) rt.journal.made(c, r, nullptr, 0);
  return r;
}

// vfork and posix_spawn. With a stack of its own the child can share our memory: the kernel keeps us stopped until
// it execs. A plain vfork returns twice on one stack, which a signal frame does not survive: it gets a copy instead.
long spawn_process(const Call& c, std::uint64_t flags, bool own_stack, long number, const long* args) {
  if (!own_stack) {
    long fork_args[6] = {
        static_cast<long>((flags & ~std::uint64_t{CLONE_VM}) | SIGCHLD), 0, args[2], args[3], args[4], 0};
    return fork_process(c, SYS_clone, fork_args);
  }
  if (rt.journal.replaying()) {
    long r = rt.journal.take_answer(c.number);
    if (r > 0) rt.children++;
    return r;
  }
  trap_instructions(false);  // inherited over exec
  long r = xb_clone(number, args, c.context->uc_mcontext.gregs);
  trap_instructions(true);
  if (r > 0) rt.children++;
  if (rt.journal.recording()) write_spawn(c, r);
  return r;
}

}  // namespace

long call_clone(const Call& c) {
  auto flags = word(c.args[0]);
  if (flags & CLONE_THREAD) {
    clone_args a{};
    a.flags = flags;
    a.stack = word(c.args[1]);
    a.parent_tid = word(c.args[2]);
    a.child_tid = word(c.args[3]);
    a.tls = word(c.args[4]);
    return start_thread(a, c);
  }
  if (flags & CLONE_VM) return spawn_process(c, flags, c.args[1] != 0, SYS_clone, c.args);
  return fork_process(c, SYS_clone, c.args);
}

long call_clone3(const Call& c) {
  clone_args a{};
  memcpy(&a, reinterpret_cast<const void*>(c.args[0]), c.args[1] < long{sizeof a} ? word(c.args[1]) : sizeof a);
  if (a.flags & CLONE_THREAD) return start_thread(a, c);
  if (a.flags & CLONE_VM) return a.stack ? spawn_process(c, a.flags, true, SYS_clone3, c.args) : -ENOSYS;
  return fork_process(c, SYS_clone3, c.args);
}

long call_fork(const Call& c) { return fork_process(c, SYS_fork, c.args); }

long call_vfork(const Call& c) {
  long args[6] = {};
  return spawn_process(c, CLONE_VM | CLONE_VFORK, false, SYS_clone, args);
}

long call_exit(const Call& c) {
  Thread& t = self();
  event(Operation::thread_end, t.index, 0, c.caller);
  if (rt.threads.live() == 1) {  // the last thread of the program: glibc would have called exit(0)
    rt.in_agent = false;
    exit(0);
  }
  finish_robust_list(t);
  if (t.clear_tid) {
    *t.clear_tid = 0;
    rt.scheduler.grant_all(address(t.clear_tid));
  }
  t.ended = true;
  rt.threads.one_ended();
  rt.scheduler.grant_all(t.join_key());
  rt.signals.thread_ended();
  rt.scheduler.end_current();
}

long call_exit_group(const Call& c) {
  event(Operation::process_exit, 0, static_cast<std::int32_t>(c.args[0]), c.caller);
  if (rt.journal.active()) rt.journal.state_hash(hash_of_state());
  rt.arena->status.state.store(State::ended, std::memory_order_release);
  return sys(SYS_exit_group, c.args[0]);
}

}  // namespace xbdbg::agent
