// ui-tui/operations.h — how the operations of the agent are called when people see them.
//
// One row per agent::Operation: its name in event files, the function of the C library that a reader of the program
// would look for, and the kind of object it works on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/agent/protocol.h"

namespace xbdbg {

enum class ObjectKind : std::uint8_t {
  none,
  thread,
  mutex,
  rwlock,
  spinlock,
  condition,
  barrier,
  semaphore,
  once,
  futex,
  descriptor,
};

std::string_view to_string(ObjectKind kind);  // "mutex", "condition", ...

struct OperationInfo {
  std::string_view name;  // "mutex_lock"
  std::string_view call;  // "pthread_mutex_lock"
  ObjectKind object;
};

// Values that are no operation (the record was damaged) get the row "unknown".
const OperationInfo& operation_info(agent::Operation operation);

std::string signal_name(int signal);  // "SIGTERM", "SIGRTMIN+3", "signal 99"

// "EBUSY", "0", "PTHREAD_BARRIER_SERIAL_THREAD" (what barrier_wait gives one of the threads), or the bare number.
std::string result_name(agent::Operation operation, std::int32_t result);

}  // namespace xbdbg
