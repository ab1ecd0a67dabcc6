// tracer/agent/api_spin_barrier.cc — pthread_spin_* and pthread_barrier_*.

#include "tracer/agent/interpose.h"
#include "tracer/agent/shared_memory.h"

namespace xbdbg::agent {

XB_EXPORT int pthread_spin_init(pthread_spinlock_t* l, int pshared) {
  if (!engaged()) return rt.real.pthread_spin_init(l, pshared);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_spin_init(l, pshared);
  event(Operation::spin_init, address(const_cast<int*>(l)), r, caller);
  return r;
}

XB_EXPORT int pthread_spin_destroy(pthread_spinlock_t* l) {
  if (!engaged()) return rt.real.pthread_spin_destroy(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_spin_destroy(l);
  event(Operation::spin_destroy, address(const_cast<int*>(l)), r, caller);
  return r;
}

XB_EXPORT int pthread_spin_lock(pthread_spinlock_t* l) {
  if (!engaged()) return rt.real.pthread_spin_lock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  LockRequest request{Operation::spin_lock, address(const_cast<int*>(l))};
  // Nothing in a spinlock says that it is process-shared.
  if (rt.children > 0 && is_shared_memory(request.object)) request.external = ExternalWait::Kind::shared_futex;
  return acquire(
      request, caller, [&] { return rt.real.pthread_spin_trylock(l); }, [] { return false; });
}

XB_EXPORT int pthread_spin_trylock(pthread_spinlock_t* l) {
  if (!engaged()) return rt.real.pthread_spin_trylock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  rt.scheduler.point(Point::operation);
  int r = rt.real.pthread_spin_trylock(l);
  if (r == 0) hold(address(const_cast<int*>(l)), Operation::spin_trylock, caller);
  event(Operation::spin_trylock, address(const_cast<int*>(l)), r, caller);
  if (r == EBUSY) rt.scheduler.polled();
  return r;
}

XB_EXPORT int pthread_spin_unlock(pthread_spinlock_t* l) {
  if (!engaged()) return rt.real.pthread_spin_unlock(l);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_spin_unlock(l);
  released(Operation::spin_unlock, address(const_cast<int*>(l)), caller);
  return r;
}

namespace {

// glibc's barrier. Of a private one `in` counts who has arrived, `out` who has left, and `current_round` the rounds:
// an arrival stays one while a signal handler runs in the wait, even if the handler waits.
struct BarrierLayout {
  unsigned in, current_round, count;
  int shared;
  unsigned out;
};

BarrierLayout& layout(pthread_barrier_t* b) { return *reinterpret_cast<BarrierLayout*>(b); }

}  // namespace

XB_EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attr, unsigned count) {
  if (!engaged()) return rt.real.pthread_barrier_init(b, attr, count);
  Caller caller = XB_CALLER();
  AgentScope scope;
  int r = rt.real.pthread_barrier_init(b, attr, count);
  event(Operation::barrier_init, address(b), r, caller);
  return r;
}

// Like glibc's, it waits until everybody has left: with a round that never fills, for ever.
XB_EXPORT int pthread_barrier_destroy(pthread_barrier_t* b) {
  if (!engaged() || layout(b).shared) return rt.real.pthread_barrier_destroy(b);
  Caller caller = XB_CALLER();
  AgentScope scope;
  WaitSpec wait{.operation = Operation::barrier_destroy, .object = address(b), .key = address(b) + 1};
  BarrierLayout& l = layout(b);
  while (l.in != l.out) rt.scheduler.block(wait, caller);
  l.in = l.out = l.current_round = 0;  // as glibc left it
  int r = rt.real.pthread_barrier_destroy(b);
  event(Operation::barrier_destroy, address(b), r, caller);
  return r;
}

XB_EXPORT int pthread_barrier_wait(pthread_barrier_t* b) {
  if (!engaged() || layout(b).shared) return rt.real.pthread_barrier_wait(b);
  Caller caller = XB_CALLER();
  AgentScope scope;
  rt.scheduler.point(Point::operation);
  int r = 0;
  BarrierLayout& l = layout(b);
  if (l.in == l.out) l.in = l.out = 0;  // nobody is inside
  unsigned round = l.current_round;
  if (++l.in % l.count == 0) {
    l.current_round++;
    rt.scheduler.grant_all(address(b));
    r = PTHREAD_BARRIER_SERIAL_THREAD;
  } else {
    WaitSpec wait{.operation = Operation::barrier_wait, .object = address(b), .key = address(b)};
    while (l.current_round == round) rt.scheduler.block(wait, caller);
  }
  if (++l.out == l.in) rt.scheduler.grant_all(address(b) + 1);
  event(Operation::barrier_wait, address(b), r, caller);
  if (r != 0) rt.scheduler.point(Point::block_end);
  return r;
}

}  // namespace xbdbg::agent
