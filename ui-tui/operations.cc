#include "ui-tui/operations.h"

#include <pthread.h>

#include <array>
#include <csignal>
#include <cstring>

namespace xbdbg {
namespace {

using agent::Operation;

struct Row {
  Operation operation;
  std::string_view call;
  ObjectKind object;
};

constexpr Row kRows[] = {
    {Operation::thread_create, "pthread_create", ObjectKind::thread},
    {Operation::thread_start, "the start of the thread", ObjectKind::thread},
    {Operation::thread_end, "the end of the thread", ObjectKind::thread},
    {Operation::thread_join, "pthread_join", ObjectKind::thread},
    {Operation::thread_detach, "pthread_detach", ObjectKind::thread},
    {Operation::thread_cancel, "pthread_cancel", ObjectKind::thread},
    {Operation::thread_kill, "pthread_kill", ObjectKind::thread},
    {Operation::mutex_init, "pthread_mutex_init", ObjectKind::mutex},
    {Operation::mutex_destroy, "pthread_mutex_destroy", ObjectKind::mutex},
    {Operation::mutex_lock, "pthread_mutex_lock", ObjectKind::mutex},
    {Operation::mutex_trylock, "pthread_mutex_trylock", ObjectKind::mutex},
    {Operation::mutex_timedlock, "pthread_mutex_timedlock", ObjectKind::mutex},
    {Operation::mutex_unlock, "pthread_mutex_unlock", ObjectKind::mutex},
    {Operation::mutex_consistent, "pthread_mutex_consistent", ObjectKind::mutex},
    {Operation::rwlock_init, "pthread_rwlock_init", ObjectKind::rwlock},
    {Operation::rwlock_destroy, "pthread_rwlock_destroy", ObjectKind::rwlock},
    {Operation::rwlock_rdlock, "pthread_rwlock_rdlock", ObjectKind::rwlock},
    {Operation::rwlock_tryrdlock, "pthread_rwlock_tryrdlock", ObjectKind::rwlock},
    {Operation::rwlock_timedrdlock, "pthread_rwlock_timedrdlock", ObjectKind::rwlock},
    {Operation::rwlock_wrlock, "pthread_rwlock_wrlock", ObjectKind::rwlock},
    {Operation::rwlock_trywrlock, "pthread_rwlock_trywrlock", ObjectKind::rwlock},
    {Operation::rwlock_timedwrlock, "pthread_rwlock_timedwrlock", ObjectKind::rwlock},
    {Operation::rwlock_unlock, "pthread_rwlock_unlock", ObjectKind::rwlock},
    {Operation::spin_init, "pthread_spin_init", ObjectKind::spinlock},
    {Operation::spin_destroy, "pthread_spin_destroy", ObjectKind::spinlock},
    {Operation::spin_lock, "pthread_spin_lock", ObjectKind::spinlock},
    {Operation::spin_trylock, "pthread_spin_trylock", ObjectKind::spinlock},
    {Operation::spin_unlock, "pthread_spin_unlock", ObjectKind::spinlock},
    {Operation::cond_init, "pthread_cond_init", ObjectKind::condition},
    {Operation::cond_destroy, "pthread_cond_destroy", ObjectKind::condition},
    {Operation::cond_wait, "pthread_cond_wait", ObjectKind::condition},
    {Operation::cond_timedwait, "pthread_cond_timedwait", ObjectKind::condition},
    {Operation::cond_wake, "the return of pthread_cond_wait", ObjectKind::condition},
    {Operation::cond_signal, "pthread_cond_signal", ObjectKind::condition},
    {Operation::cond_broadcast, "pthread_cond_broadcast", ObjectKind::condition},
    {Operation::barrier_init, "pthread_barrier_init", ObjectKind::barrier},
    {Operation::barrier_destroy, "pthread_barrier_destroy", ObjectKind::barrier},
    {Operation::barrier_wait, "pthread_barrier_wait", ObjectKind::barrier},
    {Operation::sem_init, "sem_init", ObjectKind::semaphore},
    {Operation::sem_destroy, "sem_destroy", ObjectKind::semaphore},
    {Operation::sem_wait, "sem_wait", ObjectKind::semaphore},
    {Operation::sem_trywait, "sem_trywait", ObjectKind::semaphore},
    {Operation::sem_timedwait, "sem_timedwait", ObjectKind::semaphore},
    {Operation::sem_post, "sem_post", ObjectKind::semaphore},
    {Operation::once, "pthread_once", ObjectKind::once},
    {Operation::yield, "sched_yield", ObjectKind::none},
    {Operation::sleep, "a sleep", ObjectKind::none},
    {Operation::futex_wait, "futex(FUTEX_WAIT)", ObjectKind::futex},
    {Operation::futex_wake, "futex(FUTEX_WAKE)", ObjectKind::futex},
    {Operation::signal_wait, "sigwait", ObjectKind::none},
    {Operation::signal_deliver, "a signal handler", ObjectKind::none},
    {Operation::io_wait, "a blocking system call", ObjectKind::descriptor},
    {Operation::child_wait, "waitpid", ObjectKind::none},
    {Operation::spin_detected, "a loop that waits for memory to change", ObjectKind::none},
    {Operation::process_exit, "exit", ObjectKind::none},
};

constexpr std::string_view kNames[] = {
#define XB_NAME(name) #name,
    XB_FOR_EACH_OPERATION(XB_NAME)
#undef XB_NAME
};

constexpr bool one_row_per_operation_in_order() {
  if (std::size(kRows) != std::size(kNames)) return false;
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<std::size_t>(kRows[i].operation) != i) return false;
  }
  return true;
}
static_assert(one_row_per_operation_in_order(), "an operation of protocol.h has no row here, or not in its place");

constexpr auto make_infos() {
  std::array<OperationInfo, std::size(kRows)> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = {kNames[i], kRows[i].call, kRows[i].object};
  return infos;
}
constexpr auto kInfos = make_infos();
constexpr OperationInfo kUnknown = {"unknown", "an unknown operation", ObjectKind::none};

}  // namespace

std::string_view to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::none:
      return "";
    case ObjectKind::thread:
      return "thread";
    case ObjectKind::mutex:
      return "mutex";
    case ObjectKind::rwlock:
      return "rwlock";
    case ObjectKind::spinlock:
      return "spinlock";
    case ObjectKind::condition:
      return "condition";
    case ObjectKind::barrier:
      return "barrier";
    case ObjectKind::semaphore:
      return "semaphore";
    case ObjectKind::once:
      return "once";
    case ObjectKind::futex:
      return "futex";
    case ObjectKind::descriptor:
      return "fd";
  }
  return "";
}

const OperationInfo& operation_info(agent::Operation operation) {
  const auto at = static_cast<std::size_t>(operation);
  return at < kInfos.size() ? kInfos[at] : kUnknown;
}

std::string signal_name(int signal) {
  if (const char* name = ::sigabbrev_np(signal)) return std::string("SIG") + name;
  if (signal >= SIGRTMIN && signal <= SIGRTMAX) return "SIGRTMIN+" + std::to_string(signal - SIGRTMIN);
  return "signal " + std::to_string(signal);
}

std::string result_name(agent::Operation operation, std::int32_t result) {
  if (operation == Operation::barrier_wait && result == PTHREAD_BARRIER_SERIAL_THREAD) {
    return "PTHREAD_BARRIER_SERIAL_THREAD";
  }
  const char* name = result > 0 ? ::strerrorname_np(result) : nullptr;
  return name != nullptr ? name : std::to_string(result);
}

}  // namespace xbdbg
