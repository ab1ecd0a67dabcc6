// tracer/agent/futex.cc — the futex system call among threads of one kernel thread.
//
// The kernel checks arguments and the expected value (a wait with a zero timeout); waiting and waking are the
// scheduler's. A futex in memory shared with another process is the exception: a waiter looks again every few
// milliseconds, and a wake-up that finds no thread of ours goes to the kernel too.

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/runtime.h"
#include "tracer/agent/shared_memory.h"

namespace xbdbg::agent {

namespace {

struct FutexArgs {
  std::uint32_t* word;
  int command;
  bool is_private;
  bool realtime;
  std::uint32_t value;
  const timespec* timeout;
  std::uint32_t value2;
  std::uint32_t* word2;
  std::uint32_t value3;
};

FutexArgs decode(const Call& c) {
  int op = static_cast<int>(c.args[1]);
  return {reinterpret_cast<std::uint32_t*>(c.args[0]),
          op & FUTEX_CMD_MASK,
          (op & FUTEX_PRIVATE_FLAG) != 0,
          (op & FUTEX_CLOCK_REALTIME) != 0,
          static_cast<std::uint32_t>(c.args[2]),
          reinterpret_cast<const timespec*>(c.args[3]),
          static_cast<std::uint32_t>(c.args[3]),
          reinterpret_cast<std::uint32_t*>(c.args[4]),
          static_cast<std::uint32_t>(c.args[5])};
}

// Would the kernel let this thread wait? 0, or its error (-EAGAIN: the value differs).
long check_value(const std::uint32_t* word, std::uint32_t value) {
  timespec now{};
  long r = sys(SYS_futex, word, FUTEX_WAIT, value, &now);
  return r == -ETIMEDOUT ? 0 : r;
}

std::uint64_t deadline_of(const FutexArgs& f) {
  if (!f.timeout) return kNever;
  if (f.command == FUTEX_WAIT) return rt.clock.from_relative(*f.timeout);
  return rt.clock.from_absolute(f.realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, *f.timeout);
}

// What a report shows: waiting for the kernel to clear a thread's tid is how pthread_join waits.
void describe(WaitSpec& wait) {
  wait.operation = Operation::futex_wait;
  wait.object = wait.key;
  if (Thread* t = rt.threads.by_clear_tid(wait.key)) {
    wait.operation = Operation::thread_join;
    wait.object = t->index;
  }
}

long wait(const FutexArgs& f, std::uint32_t bitset, const Caller& caller) {
  if (f.timeout && !valid_ns(*f.timeout)) return -EINVAL;
  if (f.timeout && f.timeout->tv_sec < 0) return -EINVAL;
  if (bitset == 0) return -EINVAL;
  WaitSpec spec{.operation = Operation::futex_wait,
                .object = 0,
                .key = address(f.word),
                .deadline = deadline_of(f),
                .on_signal = OnSignal::give_up,
                .may_expire_early = f.timeout != nullptr};
  describe(spec);
  bool shared = !f.is_private && is_shared_memory(spec.key);
  if (shared) spec.external.kind = ExternalWait::Kind::shared_futex;
  self().futex_bitset = bitset;
  for (;;) {
    // What another process wrote since we last looked is seen here, and not by the replay: the answer is recorded.
    auto check = [&] { return static_cast<std::uint64_t>(check_value(f.word, f.value)); };
    long r = static_cast<long>(shared ? observed(check) : check());
    if (r != 0) return shared && r == -EAGAIN ? 0 : r;
    Wake wake = rt.scheduler.block(spec, caller);
    if (wake == Wake::timeout) return -ETIMEDOUT;
    if (wake == Wake::interrupted) {
      if (self().restart && !f.timeout) continue;
      return -EINTR;
    }
    // A shared futex is looked at again: another process may have changed it and woken nobody here.
    if (!shared || observed([&] { return std::uint64_t{*static_cast<volatile std::uint32_t*>(f.word) != f.value}; }))
      break;
  }
  event(spec.operation, spec.object, 0, caller);
  return 0;
}

long wake(const FutexArgs& f, std::uint32_t bitset, const Caller& caller) {
  if (address(f.word) % 4 != 0) return -EINVAL;
  std::uint32_t n = futex_wake(address(f.word), f.value, bitset);
  long others = 0;
  if (!f.is_private && n < f.value && is_shared_memory(address(f.word)))
    others = world(SYS_futex, f.word, FUTEX_WAKE_BITSET, f.value - n, 0, 0, bitset);
  event(Operation::futex_wake, address(f.word), static_cast<std::int32_t>(n), caller);
  rt.scheduler.point(Point::block_end);
  return others < 0 ? others : static_cast<long>(n) + others;
}

long requeue(const FutexArgs& f, bool compare, const Caller& caller) {
  if (compare && *static_cast<volatile std::uint32_t*>(f.word) != f.value3) return -EAGAIN;
  std::uint32_t woken = futex_wake(address(f.word), f.value);
  std::uint32_t moved = rt.scheduler.requeue(address(f.word), address(f.word2), f.value2);
  event(Operation::futex_wake, address(f.word), static_cast<std::int32_t>(woken), caller);
  rt.scheduler.point(Point::block_end);
  return static_cast<long>(woken) + moved;
}

std::uint32_t apply(std::uint32_t* word, std::uint32_t encoded) {
  std::uint32_t op = (encoded >> 28) & 7, argument = (encoded >> 12) & 0xfff;
  if (encoded & (FUTEX_OP_OPARG_SHIFT << 28)) argument = 1u << (argument & 31);
  switch (op) {
    case FUTEX_OP_SET:
      return __atomic_exchange_n(word, argument, __ATOMIC_SEQ_CST);
    case FUTEX_OP_ADD:
      return __atomic_fetch_add(word, argument, __ATOMIC_SEQ_CST);
    case FUTEX_OP_OR:
      return __atomic_fetch_or(word, argument, __ATOMIC_SEQ_CST);
    case FUTEX_OP_ANDN:
      return __atomic_fetch_and(word, ~argument, __ATOMIC_SEQ_CST);
    default:
      return __atomic_fetch_xor(word, argument, __ATOMIC_SEQ_CST);
  }
}

bool compares(std::uint32_t old, std::uint32_t encoded) {
  auto a = static_cast<std::int32_t>(old), b = static_cast<std::int32_t>(encoded << 20) >> 20;
  switch ((encoded >> 24) & 15) {
    case FUTEX_OP_CMP_EQ:
      return a == b;
    case FUTEX_OP_CMP_NE:
      return a != b;
    case FUTEX_OP_CMP_LT:
      return a < b;
    case FUTEX_OP_CMP_LE:
      return a <= b;
    case FUTEX_OP_CMP_GT:
      return a > b;
    default:
      return a >= b;
  }
}

long wake_op(const FutexArgs& f, const Caller& caller) {
  std::uint32_t old = apply(f.word2, f.value3);
  std::uint32_t n = futex_wake(address(f.word), f.value);
  if (compares(old, f.value3)) n += futex_wake(address(f.word2), f.value2);
  event(Operation::futex_wake, address(f.word), static_cast<std::int32_t>(n), caller);
  rt.scheduler.point(Point::block_end);
  return n;
}

// Priority-inheriting futexes hold the owner's tid. Waiters set FUTEX_WAITERS so that the owner's unlock comes here.
long lock_pi(const FutexArgs& f, bool may_wait, const Caller& caller) {
  auto me = static_cast<std::uint32_t>(self().tid);
  std::uint64_t deadline = kNever;
  if (f.timeout && may_wait)
    deadline = rt.clock.from_absolute(f.command == FUTEX_LOCK_PI || f.realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                      *f.timeout);
  for (;;) {
    std::uint32_t word = __atomic_load_n(f.word, __ATOMIC_SEQ_CST);
    std::uint32_t owner = word & FUTEX_TID_MASK;
    if (owner == me) return -EDEADLK;
    if (owner == 0) {
      std::uint32_t more = rt.scheduler.waiters(address(f.word)) > 0 ? FUTEX_WAITERS : 0;
      __atomic_store_n(f.word, me | (word & FUTEX_OWNER_DIED) | more, __ATOMIC_SEQ_CST);
      return 0;
    }
    if (!may_wait) return -EAGAIN;
    __atomic_fetch_or(f.word, FUTEX_WAITERS, __ATOMIC_SEQ_CST);
    WaitSpec spec{
        .operation = Operation::futex_wait, .object = address(f.word), .key = address(f.word), .deadline = deadline};
    if (!f.is_private && is_shared_memory(spec.key)) spec.external.kind = ExternalWait::Kind::shared_futex;
    if (rt.scheduler.block(spec, caller) == Wake::timeout) return -ETIMEDOUT;
  }
}

long unlock_pi(const FutexArgs& f, const Caller& caller) {
  std::uint32_t word = __atomic_load_n(f.word, __ATOMIC_SEQ_CST);
  if ((word & FUTEX_TID_MASK) != static_cast<std::uint32_t>(self().tid)) return -EPERM;
  // A waiter in another process is known to the kernel, which hands the futex on.
  bool handed_on =
      !f.is_private && is_shared_memory(address(f.word)) && world(SYS_futex, f.word, FUTEX_UNLOCK_PI) == 0;
  if (!handed_on) __atomic_store_n(f.word, word & FUTEX_OWNER_DIED, __ATOMIC_SEQ_CST);
  rt.scheduler.grant_all(address(f.word));
  event(Operation::futex_wake, address(f.word), 0, caller);
  rt.scheduler.point(Point::block_end);
  return 0;
}

}  // namespace

std::uint32_t futex_wake(std::uint64_t word, std::uint32_t count, std::uint32_t bitset) {
  return rt.scheduler.grant_some(word, count, bitset);
}

long call_futex(const Call& c) {
  FutexArgs f = decode(c);
  rt.scheduler.point(Point::operation);
  switch (f.command) {
    case FUTEX_WAIT:
      return wait(f, ~0u, c.caller);
    case FUTEX_WAIT_BITSET:
      return wait(f, f.value3, c.caller);
    case FUTEX_WAKE:
      return wake(f, ~0u, c.caller);
    case FUTEX_WAKE_BITSET:
      return f.value3 == 0 ? -EINVAL : wake(f, f.value3, c.caller);
    case FUTEX_REQUEUE:
      return requeue(f, false, c.caller);
    case FUTEX_CMP_REQUEUE:
      return requeue(f, true, c.caller);
    case FUTEX_WAKE_OP:
      return wake_op(f, c.caller);
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
      return lock_pi(f, true, c.caller);
    case FUTEX_TRYLOCK_PI:
      return lock_pi(f, false, c.caller);
    case FUTEX_UNLOCK_PI:
      return unlock_pi(f, c.caller);
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI:
      fail("futex operation %d (requeue to a priority-inheriting futex) is not modelled", std::uint64_t(f.command));
    default:
      return -ENOSYS;
  }
}

// Rarely used, and every caller has a fallback for kernels without it.
long call_futex_waitv(const Call&) { return -ENOSYS; }

// As the kernel does when a thread ends: its robust mutexes become "owner died", and a waiter of each wakes.
void finish_robust_list(Thread& t) {
  auto* head = static_cast<robust_list_head*>(t.robust_list);
  if (!head) return;
  auto release = [&](robust_list* entry) {
    auto* word = reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(entry) + head->futex_offset);
    std::uint32_t value = *word;
    if ((value & FUTEX_TID_MASK) != static_cast<std::uint32_t>(t.tid)) return;
    *word = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    rt.scheduler.grant_all(address(word));
  };
  auto untagged = [](robust_list* p) { return reinterpret_cast<robust_list*>(address(p) & ~std::uint64_t{1}); };
  robust_list* pending = untagged(head->list_op_pending);
  int limit = 2048;
  for (robust_list* e = untagged(head->list.next); e != &head->list && limit-- > 0;) {
    robust_list* next = untagged(e->next);
    if (e != pending) release(e);
    e = next;
  }
  if (pending) release(pending);
}

}  // namespace xbdbg::agent
