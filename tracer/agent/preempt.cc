#include "tracer/agent/preempt.h"

#include <string.h>
#include <sys/uio.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

bool spinners_may_exist;

// ---------------------------------------------------------------------------------------------------------------
// Waiting for memory to change.

// The program may have unmapped it meanwhile: the kernel reads it for us, and says so. Then the loop will see.
static bool holds_still(const SpinWatch& watch) {
  std::uint64_t now[kMaxWatchedWords] = {};
  iovec local[kMaxWatchedWords], remote[kMaxWatchedWords];
  long bytes = 0;
  for (std::uint32_t i = 0; i < watch.count; i++) {
    local[i] = {&now[i], watch.words[i].bytes};
    remote[i] = {reinterpret_cast<void*>(watch.words[i].address), watch.words[i].bytes};
    bytes += watch.words[i].bytes;
  }
  if (sys(SYS_process_vm_readv, rt.kernel_pid, local, watch.count, remote, watch.count, 0) != bytes) return false;
  for (std::uint32_t i = 0; i < watch.count; i++)
    if (now[i] != watch.words[i].value) return false;
  return true;
}

// Also while a signal handler interrupts the wait.
static bool waits_for_memory(const Thread& t) { return t.queued && t.view->waiting_in == Operation::spin_detected; }

void look_at_spinners() {
  spinners_may_exist = false;
  rt.threads.find_live([](Thread& t) {
    if (!waits_for_memory(t)) return false;
    if (holds_still(t.spin))
      spinners_may_exist = true;
    else
      rt.scheduler.grant(&t);
    return false;
  });
}

bool spinners_wait() { return rt.threads.find_live(waits_for_memory) != nullptr; }

// What reports name: the first that is not a local variable of the loop itself.
static std::uint64_t first_address(const SpinWatch& watch, std::uint64_t sp) {
  constexpr std::uint64_t kOwnFrame = 4096, kRedZone = 128;
  for (std::uint32_t i = 0; i < watch.count; i++)
    if (watch.words[i].address - (sp - kRedZone) > kOwnFrame) return watch.words[i].address;
  return watch.count > 0 ? watch.words[0].address : 0;
}

static void wait_for_memory(const Caller& caller) {
  Thread& t = self();
  std::uint64_t object = first_address(t.spin, caller.sp);
  event(Operation::spin_detected, object, 0, caller);
  WaitSpec wait{.operation = Operation::spin_detected, .object = object, .key = t.own_key()};
  if (t.spin.shared_memory) wait.external.kind = ExternalWait::Kind::poll_again;
  do {
    spinners_may_exist = true;
    rt.scheduler.block(wait, caller);
  } while (holds_still(t.spin));
}

// ---------------------------------------------------------------------------------------------------------------
// Requests.

// Whoever could run gets the chance: ready threads, those that wait for the outside, and sleepers.
static void give_way(const Caller& caller) {
  wake_external();
  if (rt.scheduler.ready_count() < 2) rt.scheduler.skip_to_deadline();
  if (rt.scheduler.ready_count() < 2) return;
  event(Operation::yield, 0, 0, caller);
  rt.scheduler.yield();
}

// Recording: it is written down. Replaying: it happens only where it did then, and it says where and for what memory.
// A loop that waits for memory can be interrupted anywhere, and goes on the same.
static bool in_journal(PreemptRequest& request, Caller& caller) {
  if (!rt.journal.active()) return true;
  JournalPreemption r{};
  r.type = JournalType::preemption;
  r.forced = request == PreemptRequest::forced;
  r.pc = caller.pc;
  r.watch = self().spin;
  if (rt.journal.recording()) {
    rt.journal.preemption(r);
    return true;
  }
  if (!rt.journal.take_preemption(&r)) return false;
  if (r.forced)
    fail(
        "the recording goes on at %x, in the middle of a computation that a replay cannot interrupt at the same "
        "place",
        r.pc);
  request = PreemptRequest::spin;
  caller.pc = r.pc;
  self().spin = r.watch;
  return true;
}

bool preemption_requested() {
  return rt.engaged && rt.arena->status.preemption.request.load(std::memory_order_acquire) != PreemptRequest::none;
}

void preempt(ucontext_t* uc) {
  Preemption& asked = rt.arena->status.preemption;
  PreemptRequest request = asked.request.exchange(PreemptRequest::none);
  if (rt.in_agent) return;  // it has called us after all
  rt.in_agent = true;
  const greg_t* r = uc->uc_mcontext.gregs;
  // Reports take a pc for a return address and look at the instruction before it.
  Caller caller{static_cast<std::uint64_t>(r[REG_RIP]) + 1, static_cast<std::uint64_t>(r[REG_RSP]),
                static_cast<std::uint64_t>(r[REG_RBP])};
  if (self().queued) rt.scheduler.forget_left_wait(caller.sp);
  self().spin = asked.watch;
  if (self().spin.count > kMaxWatchedWords) self().spin.count = 0;
  if (in_journal(request, caller)) {
    if (request == PreemptRequest::spin)
      wait_for_memory(caller);
    else
      give_way(caller);
  }
  take_in();
  if (rt.signals.any_pending()) rt.signals.deliver_to_current();
  rt.signals.before_sigreturn(uc);
  rt.in_agent = false;
}

}  // namespace xbdbg::agent
