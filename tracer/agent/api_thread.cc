// tracer/agent/api_thread.cc — creating, joining, detaching, cancelling and naming threads; once; yield.
//
// The real functions do the work, as program code under Syscall User Dispatch; clone.cc and futex.cc see what they
// ask of the kernel. What is done here is the waiting that can be had without a system call, and the events.

#include <string.h>
#include <sys/prctl.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/interpose.h"
#include "tracer/agent/stream.h"

namespace xbdbg::agent {

void test_cancel() {
  as_program([] {
    rt.real.pthread_testcancel();
    return 0;
  });
}

namespace {

// A signal frame of ours on top of a stack of PTHREAD_STACK_MIN leaves too little: such stacks get more.
constexpr size_t kSmallStack = 256 * 1024, kExtraStack = 64 * 1024;

const pthread_attr_t* with_room(const pthread_attr_t* attr, pthread_attr_t* copy) {
  size_t size = 0;
  void* stack = nullptr;
  if (!attr || pthread_attr_getstacksize(attr, &size) != 0 || size >= kSmallStack) return attr;
  if (pthread_attr_getstack(attr, &stack, &size) == 0 && stack) return attr;  // the program's own memory
  *copy = *attr;
  return pthread_attr_setstacksize(copy, size + kExtraStack) == 0 ? copy : attr;
}

std::uint64_t index_of(pthread_t handle) {
  Thread* t = rt.threads.by_handle(handle);
  return t ? t->index : ~std::uint64_t{0};
}

void remember_detached(pthread_t handle) {
  Thread* t = rt.threads.by_handle(handle);
  if (!t) return;
  t->view->detached = 1;
  if (t->ended) rt.threads.release(t);
}

template <class Create>
int create(pthread_t* handle, bool detached, const Caller& caller, Create real_create) {
  rt.scheduler.point(Point::operation);
  self().view->waiting_pc = caller.pc;
  int r = as_program(real_create);
  if (r == 0 && detached) remember_detached(*handle);
  event(Operation::thread_create, r == 0 ? index_of(*handle) : ~std::uint64_t{0}, r, caller);
  if (r == EAGAIN)
    rt.scheduler.polled();
  else
    rt.scheduler.point(Point::block_end);
  return r;
}

// Waits until the thread has ended, then lets glibc join it (which finds it gone, and returns at once). Whatever is
// unusual (self, detached, joined by another) is left to glibc and its error returns.
template <class Join>
int join(pthread_t handle, const Deadline& deadline, bool timed, const Caller& caller, Join real_join) {
  Thread* t = rt.threads.by_handle(handle);
  std::uint64_t index = index_of(handle);
  bool usual = t && t != &self() && !t->view->detached && rt.scheduler.waiters(t->join_key()) == 0 &&
               !(t->queued && t->wait_key == self().join_key());
  test_cancel();
  rt.scheduler.point(Point::operation);
  Wake wake = Wake::none;
  while (usual && !t->ended && !deadline.error && wake != Wake::timeout && wake != Wake::cancelled) {
    WaitSpec wait{.operation = Operation::thread_join,
                  .object = t->index,
                  .key = t->join_key(),
                  .deadline = deadline.at,
                  .cancellation_point = true,
                  .may_expire_early = timed};
    wake = rt.scheduler.block(wait, caller);
  }
  if (wake == Wake::cancelled) test_cancel();
  int r = as_program(real_join);
  if (r == 0)
    if (Thread* joined = rt.threads.by_handle(handle)) rt.threads.release(joined);
  event(Operation::thread_join, index, r, caller);
  return r;
}

}  // namespace

XB_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attr, void* (*start)(void*), void* arg) {
  if (!engaged()) return rt.real.pthread_create(handle, attr, start, arg);
  Caller caller = XB_CALLER();
  AgentScope scope;
  pthread_attr_t copy;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attr) pthread_attr_getdetachstate(attr, &state);
  const pthread_attr_t* roomy = with_room(attr, &copy);
  return create(handle, state == PTHREAD_CREATE_DETACHED, caller,
                [&] { return rt.real.pthread_create(handle, roomy, start, arg); });
}

XB_EXPORT int pthread_join(pthread_t handle, void** value) {
  if (!engaged()) return rt.real.pthread_join(handle, value);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return join(handle, {}, false, caller, [&] { return rt.real.pthread_join(handle, value); });
}

XB_EXPORT int thrd_create(thrd_t* handle, thrd_start_t start, void* arg) {
  if (!engaged()) return rt.real.thrd_create(handle, start, arg);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return create(handle, false, caller, [&] { return rt.real.thrd_create(handle, start, arg); });
}

XB_EXPORT int thrd_join(thrd_t handle, int* value) {
  if (!engaged()) return rt.real.thrd_join(handle, value);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return join(handle, {}, false, caller, [&] { return rt.real.thrd_join(handle, value); });
}

XB_EXPORT int pthread_tryjoin_np(pthread_t handle, void** value) {
  if (!engaged()) return rt.real.pthread_tryjoin_np(handle, value);
  Caller caller = XB_CALLER();
  AgentScope scope;
  rt.scheduler.point(Point::operation);
  std::uint64_t index = index_of(handle);
  int r = as_program([&] { return rt.real.pthread_tryjoin_np(handle, value); });
  if (r == 0)
    if (Thread* joined = rt.threads.by_handle(handle)) rt.threads.release(joined);
  event(Operation::thread_join, index, r, caller);
  if (r == EBUSY) rt.scheduler.polled();
  return r;
}

XB_EXPORT int pthread_timedjoin_np(pthread_t handle, void** value, const timespec* abstime) {
  if (!engaged()) return rt.real.pthread_timedjoin_np(handle, value, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  return join(handle, deadline_on(CLOCK_REALTIME, abstime), abstime != nullptr, caller,
              [&] { return rt.real.pthread_timedjoin_np(handle, value, abstime); });
}

XB_EXPORT int pthread_clockjoin_np(pthread_t handle, void** value, clockid_t clock, const timespec* abstime) {
  if (!engaged()) return rt.real.pthread_clockjoin_np(handle, value, clock, abstime);
  Caller caller = XB_CALLER();
  AgentScope scope;
  Deadline deadline = is_wait_clock(clock) ? deadline_on(clock, abstime) : Deadline{kNever, EINVAL};
  return join(handle, deadline, abstime != nullptr, caller,
              [&] { return rt.real.pthread_clockjoin_np(handle, value, clock, abstime); });
}

XB_EXPORT int pthread_detach(pthread_t handle) {
  if (!engaged()) return rt.real.pthread_detach(handle);
  Caller caller = XB_CALLER();
  AgentScope scope;
  std::uint64_t index = index_of(handle);
  int r = as_program([&] { return rt.real.pthread_detach(handle); });
  if (r == 0) remember_detached(handle);
  event(Operation::thread_detach, index, r, caller);
  return r;
}

// glibc marks the thread as cancelled, and sends SIGCANCEL when it must be interrupted (signals.h). A thread that
// waits in a cancellation point of ours is woken to look.
XB_EXPORT int pthread_cancel(pthread_t handle) {
  if (!engaged()) return rt.real.pthread_cancel(handle);
  Caller caller = XB_CALLER();
  AgentScope scope;
  rt.scheduler.point(Point::operation);
  Thread* t = rt.threads.by_handle(handle);
  std::uint64_t index = index_of(handle);
  int r = as_program([&] { return rt.real.pthread_cancel(handle); });
  if (r == 0 && t && !t->ended) {
    t->cancel_pending = true;
    rt.scheduler.interrupt(t);
  }
  event(Operation::thread_cancel, index, r, caller);
  rt.scheduler.point(Point::block_end);
  return r;
}

XB_EXPORT int pthread_setcancelstate(int state, int* old) {
  if (!engaged()) return rt.real.pthread_setcancelstate(state, old);
  int r = rt.real.pthread_setcancelstate(state, old);
  if (r == 0) self().cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
  return r;
}

XB_EXPORT int pthread_setname_np(pthread_t handle, const char* name) {
  if (!engaged()) return rt.real.pthread_setname_np(handle, name);
  AgentScope scope;
  Thread* t = rt.threads.by_handle(handle);
  if (strlen(name) >= kNameBytes) return ERANGE;
  if (!t || t->ended) return ENOENT;
  if (t == rt.threads.main()) world(SYS_prctl, PR_SET_NAME, name);
  set_name(*t, name);
  return 0;
}

XB_EXPORT int pthread_getname_np(pthread_t handle, char* buffer, size_t size) {
  if (!engaged()) return rt.real.pthread_getname_np(handle, buffer, size);
  AgentScope scope;
  Thread* t = rt.threads.by_handle(handle);
  if (size < kNameBytes) return ERANGE;
  if (!t || t->ended) return ENOENT;
  if (t->named)
    memcpy(buffer, t->view->name, kNameBytes);
  else
    world(SYS_prctl, PR_GET_NAME, buffer);
  return 0;
}

// A thread that finds the initialiser running waits in glibc, in a futex.
XB_EXPORT int pthread_once(pthread_once_t* control, void (*initialize)()) {
  if (!engaged()) return rt.real.pthread_once(control, initialize);
  {
    Caller caller = XB_CALLER();
    AgentScope scope;
    rt.scheduler.point(Point::operation);
    event(Operation::once, address(control), 0, caller);
  }
  return rt.real.pthread_once(control, initialize);
}

XB_EXPORT int sched_yield() {
  if (!engaged()) return rt.real.sched_yield();
  Call c{};
  c.caller = XB_CALLER();
  AgentScope scope;
  return static_cast<int>(call_sched_yield(c));
}

}  // namespace xbdbg::agent
