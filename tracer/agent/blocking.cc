// tracer/agent/blocking.cc — calls that may block on the world never stop the other threads.
//
// A call is first tried without blocking. If it cannot go on and another thread could run, the thread is parked with
// what it waits for; the process waits for real (idle.cc) only when nobody can run. When nobody else could run
// anyway, the call is made as it is, and its timing and error returns are the kernel's own.

#include "tracer/agent/blocking.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace xbdbg::agent {

long block_for_real(const Call& c) {
  if (rt.journal.active()) return pass(c);  // it does not block: see Scheduler::others_may_run
  std::uint64_t start = real_monotonic_ns();
  rt.signals.allow_handlers = true;
  long r = pass(c);
  rt.signals.allow_handlers = false;
  rt.clock.advance(real_monotonic_ns() - start);
  return r;
}

long park(Operation op, std::uint64_t object, std::uint64_t deadline, const ExternalWait& external, bool restartable,
          const Caller& caller) {
  WaitSpec wait{.operation = op,
                .object = object,
                .key = self().own_key(),
                .deadline = deadline,
                .on_signal = OnSignal::give_up,
                .external = external};
  Wake wake = rt.scheduler.block(wait, caller);
  if (wake == Wake::timeout) return -ETIMEDOUT;
  if (wake == Wake::interrupted && !(restartable && self().restart)) return -EINTR;
  return 0;
}

// ---------------------------------------------------------------------------------------------------------------
// poll, select, epoll.

// Nothing but time ends the wait, or a signal.
static ExternalWait without_descriptors(std::uint64_t deadline) {
  return deadline == kNever ? ExternalWait{ExternalWait::Kind::signals, nullptr, 0, 0} : ExternalWait{};
}

static long poll_until(pollfd* fds, std::uint32_t count, std::uint64_t deadline, const Caller& caller) {
  for (;;) {
    long r = world(SYS_poll, fds, count, 0);
    if (r != 0 || deadline <= rt.clock.now()) return r;
    ExternalWait external{ExternalWait::Kind::fds, fds, count, 0};
    if (count == 0) external = without_descriptors(deadline);
    long error = park(Operation::io_wait, count ? static_cast<std::uint64_t>(fds[0].fd) : 0, deadline, external,
                      false, caller);
    if (error == -ETIMEDOUT) return world(SYS_poll, fds, count, 0);
    if (error) return error;
  }
}

long call_poll(const Call& c) {
  auto timeout_ms = static_cast<int>(c.args[2]);
  std::uint64_t deadline =
      timeout_ms < 0 ? kNever : rt.clock.now() + static_cast<std::uint64_t>(timeout_ms) * 1'000'000;
  return poll_until(reinterpret_cast<pollfd*>(c.args[0]), static_cast<std::uint32_t>(c.args[1]), deadline, c.caller);
}

// With the mask that ppoll, pselect and epoll_pwait install while they wait.
template <class F>
static long with_mask(const std::uint64_t* mask, F f) {
  if (!mask) return f();
  std::uint64_t before = self().mask;
  rt.signals.set_mask(self(), *mask);
  bool handled = rt.signals.deliver_to_current();
  long r = handled ? -EINTR : f();
  rt.signals.set_mask(self(), before);
  return r;
}

// The kernel says how much of the time is left.
static void set_left(timespec* timeout, std::uint64_t deadline) {
  if (timeout) *timeout = to_timespec(deadline > rt.clock.now() ? deadline - rt.clock.now() : 0);
}

long call_ppoll(const Call& c) {
  auto* timeout = reinterpret_cast<timespec*>(c.args[2]);
  if (timeout && (!valid_ns(*timeout) || timeout->tv_sec < 0)) return -EINVAL;
  std::uint64_t deadline = timeout ? rt.clock.from_relative(*timeout) : kNever;
  long r = with_mask(reinterpret_cast<const std::uint64_t*>(c.args[3]), [&] {
    return poll_until(reinterpret_cast<pollfd*>(c.args[0]), static_cast<std::uint32_t>(c.args[1]), deadline,
                      c.caller);
  });
  set_left(timeout, deadline);
  return r;
}

// The sets are overwritten by each try, so they are kept aside.
static long select_until(const Call& c, std::uint64_t deadline) {
  int nfds = static_cast<int>(c.args[0]);
  if (nfds < 0) return -EINVAL;
  fd_set kept[3];
  std::uint64_t bytes = (static_cast<std::uint64_t>(nfds < FD_SETSIZE ? nfds : FD_SETSIZE) + 63) / 64 * 8;
  for (int i = 0; i < 3; i++)
    if (c.args[1 + i]) memcpy(&kept[i], reinterpret_cast<void*>(c.args[1 + i]), bytes);
  auto restore = [&] {
    for (int i = 0; i < 3; i++)
      if (c.args[1 + i]) memcpy(reinterpret_cast<void*>(c.args[1 + i]), &kept[i], bytes);
  };
  for (;;) {
    timespec now{};
    long r = world(SYS_pselect6, nfds, c.args[1], c.args[2], c.args[3], &now, 0);
    if (r != 0 || deadline <= rt.clock.now()) return r;
    restore();  // as they are found after an error
    ExternalWait external = nfds ? kLookAgain : without_descriptors(deadline);
    long error = park(Operation::io_wait, 0, deadline, external, false, c.caller);
    if (error == -ETIMEDOUT)
      deadline = 0;
    else if (error)
      return error;
  }
}

long call_select(const Call& c) {
  auto* timeout = reinterpret_cast<timeval*>(c.args[4]);
  if (!timeout) return select_until(c, kNever);
  if (timeout->tv_sec < 0 || timeout->tv_usec < 0) return -EINVAL;
  std::uint64_t deadline = rt.clock.now() + static_cast<std::uint64_t>(timeout->tv_sec) * kNsPerSecond +
                           static_cast<std::uint64_t>(timeout->tv_usec) * 1000;
  long r = select_until(c, deadline);
  std::uint64_t left = deadline > rt.clock.now() ? deadline - rt.clock.now() : 0;
  *timeout = {static_cast<time_t>(left / kNsPerSecond), static_cast<suseconds_t>(left % kNsPerSecond / 1000)};
  return r;
}

long call_pselect(const Call& c) {
  auto* timeout = reinterpret_cast<timespec*>(c.args[4]);
  if (timeout && (!valid_ns(*timeout) || timeout->tv_sec < 0)) return -EINVAL;
  std::uint64_t deadline = timeout ? rt.clock.from_relative(*timeout) : kNever;
  auto* packed = reinterpret_cast<const std::uint64_t* const*>(c.args[5]);
  long r = with_mask(packed ? *packed : nullptr, [&] { return select_until(c, deadline); });
  set_left(timeout, deadline);
  return r;
}

long call_epoll_wait(const Call& c) {
  std::uint64_t deadline = kNever;
  if (c.number == SYS_epoll_pwait2) {
    auto* timeout = reinterpret_cast<const timespec*>(c.args[3]);
    if (timeout && (!valid_ns(*timeout) || timeout->tv_sec < 0)) return -EINVAL;
    if (timeout) deadline = rt.clock.from_relative(*timeout);
  } else if (auto timeout_ms = static_cast<int>(c.args[3]); timeout_ms >= 0) {
    deadline = rt.clock.now() + static_cast<std::uint64_t>(timeout_ms) * 1'000'000;
  }
  auto* mask = c.number != SYS_epoll_wait ? reinterpret_cast<const std::uint64_t*>(c.args[4]) : nullptr;
  return with_mask(mask, [&]() -> long {
    for (;;) {
      long r = world(SYS_epoll_wait, c.args[0], c.args[1], c.args[2], 0);
      if (r != 0 || deadline <= rt.clock.now()) return r;
      pollfd p{static_cast<int>(c.args[0]), POLLIN, 0};
      long error = park(Operation::io_wait, static_cast<std::uint64_t>(p.fd), deadline,
                        {ExternalWait::Kind::fds, &p, 1, 0}, false, c.caller);
      if (error == -ETIMEDOUT)
        deadline = 0;
      else if (error)
        return error;
    }
  });
}

// ---------------------------------------------------------------------------------------------------------------
// Children and file locks.

constexpr ExternalWait kChild{ExternalWait::Kind::child, nullptr, 0, 0};

long call_wait4(const Call& c) {
  int local = 0;
  auto* status = c.args[1] ? reinterpret_cast<int*>(c.args[1]) : &local;
  for (;;) {
    Call waiting = c;
    waiting.args[1] = reinterpret_cast<long>(status);
    bool alone = !rt.scheduler.others_may_run();
    if (!alone) waiting.args[2] |= WNOHANG;
    long r = alone ? block_for_real(waiting) : pass(waiting);
    if (r > 0 && (WIFEXITED(*status) || WIFSIGNALED(*status)) && rt.children > 0) rt.children--;
    if (r != 0 || (c.args[2] & WNOHANG)) {
      event(Operation::child_wait, 0, 0, c.caller);
      return r;
    }
    long error = park(Operation::child_wait, static_cast<std::uint64_t>(c.args[0]), kNever, kChild, true, c.caller);
    if (error) return error;
  }
}

long call_waitid(const Call& c) {
  siginfo_t local{};
  auto* info = c.args[2] ? reinterpret_cast<siginfo_t*>(c.args[2]) : &local;
  for (;;) {
    info->si_pid = 0;
    Call waiting = c;
    waiting.args[2] = reinterpret_cast<long>(info);
    bool alone = !rt.scheduler.others_may_run();
    if (!alone) waiting.args[3] |= WNOHANG;
    long r = alone ? block_for_real(waiting) : pass(waiting);
    bool gone = info->si_code == CLD_EXITED || info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED;
    if (r == 0 && info->si_pid != 0 && gone && !(c.args[3] & WNOWAIT) && rt.children > 0) rt.children--;
    if (r != 0 || info->si_pid != 0 || (c.args[3] & WNOHANG)) return r;
    long error = park(Operation::child_wait, static_cast<std::uint64_t>(c.args[1]), kNever, kChild, true, c.caller);
    if (error) return error;
  }
}

// Tries `attempt` until it does not return `busy`, parked in between.
template <class Attempt>
static long try_until(const Call& c, long busy, std::uint64_t deadline, bool restartable, Attempt attempt) {
  for (;;) {
    long r = attempt();
    if (r != busy) return r;
    long error =
        park(Operation::io_wait, static_cast<std::uint64_t>(c.args[0]), deadline, kLookAgain, restartable, c.caller);
    if (error == -ETIMEDOUT) {
      r = attempt();
      return r == busy ? error : r;
    }
    if (error) return error;
  }
}

long call_flock(const Call& c) {
  if (c.args[1] & LOCK_NB) return pass(c);
  return try_until(c, -EWOULDBLOCK, kNever, true, [&] { return world(SYS_flock, c.args[0], c.args[1] | LOCK_NB); });
}

long call_fcntl(const Call& c) {
  long command = c.args[1];
  if (command != F_SETLKW && command != F_OFD_SETLKW) return pass(c);
  if (!rt.scheduler.others_may_run()) return block_for_real(c);  // the kernel detects deadlocks among processes
  return try_until(c, -EAGAIN, kNever, true, [&] {
    long r = world(SYS_fcntl, c.args[0], command == F_SETLKW ? F_SETLK : F_OFD_SETLK, c.args[2]);
    return r == -EACCES ? -EAGAIN : r;
  });
}

// ---------------------------------------------------------------------------------------------------------------
// Message queues and semaphores of System V and POSIX.

// A queue or set that is gone when the thread looks again was removed while it waited.
template <class Attempt>
static long try_ipc(const Call& c, long busy, std::uint64_t deadline, Attempt attempt) {
  bool waited = false;
  return try_until(c, busy, deadline, false, [&] {
    long r = attempt();
    if (waited && r == -EINVAL) return -static_cast<long>(EIDRM);
    waited = true;
    return r;
  });
}

long call_msgrcv(const Call& c) {
  if ((c.args[4] & IPC_NOWAIT) || !rt.scheduler.others_may_run()) return block_for_real(c);
  return try_ipc(c, -ENOMSG, kNever, [&] {
    return world(SYS_msgrcv, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4] | IPC_NOWAIT);
  });
}

long call_msgsnd(const Call& c) {
  if ((c.args[3] & IPC_NOWAIT) || !rt.scheduler.others_may_run()) return block_for_real(c);
  return try_ipc(c, -EAGAIN, kNever,
                 [&] { return world(SYS_msgsnd, c.args[0], c.args[1], c.args[2], c.args[3] | IPC_NOWAIT); });
}

// Is the first operation that cannot be done one that does not wait?
static bool stops_at_nowait(const Call& c) {
  const auto* operations = reinterpret_cast<const sembuf*>(c.args[1]);
  for (long i = 0; i < c.args[2]; i++) {
    long value = world(SYS_semctl, c.args[0], operations[i].sem_num, GETVAL, 0);
    bool stops = operations[i].sem_op == 0 ? value != 0 : value + operations[i].sem_op < 0;
    if (stops) return (operations[i].sem_flg & IPC_NOWAIT) != 0;
  }
  return false;
}

long call_semop(const Call& c) {
  const auto* timeout = c.number == SYS_semtimedop ? reinterpret_cast<const timespec*>(c.args[3]) : nullptr;
  std::uint64_t deadline = timeout ? rt.clock.from_relative(*timeout) : kNever;
  constexpr long kBusy = -ETIMEDOUT;
  long r = try_ipc(c, kBusy, deadline, [&] {
    timespec now{};
    long tried = world(SYS_semtimedop, c.args[0], c.args[1], c.args[2], &now);
    return tried == -EAGAIN && !stops_at_nowait(c) ? kBusy : tried;
  });
  return r == kBusy ? -EAGAIN : r;
}

// A deadline in the past makes the kernel try once.
long call_mq_timed(const Call& c) {
  const auto* abstime = reinterpret_cast<const timespec*>(c.args[4]);
  if (abstime && !valid_ns(*abstime)) return -EINVAL;
  std::uint64_t deadline = abstime ? rt.clock.from_absolute(CLOCK_REALTIME, *abstime) : kNever;
  return try_until(c, -ETIMEDOUT, deadline, true, [&] {
    timespec past{};
    return world(c.number, c.args[0], c.args[1], c.args[2], c.args[3], &past);
  });
}

// A blocking connect is started without blocking, and finished when the socket becomes writable.
long call_connect(const Call& c) {
  int fd = static_cast<int>(c.args[0]);
  long flags = world(SYS_fcntl, fd, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) || !rt.scheduler.others_may_run()) return block_for_real(c);
  auto start = [&] {
    world(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
    long r = pass(c);
    world(SYS_fcntl, fd, F_SETFL, flags);
    return r;
  };
  long r = try_until(c, -EAGAIN, kNever, true, start);  // EAGAIN: the backlog of a unix socket is full
  if (r != -EINPROGRESS) return r;
  r = wait_ready(fd, POLLOUT, c.caller);
  if (r != 0) return r == -EAGAIN ? -EINPROGRESS : r;
  int error = 0;
  socklen_t size = sizeof error;
  world(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return -error;
}

}  // namespace xbdbg::agent
