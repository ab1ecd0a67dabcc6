// Exceptions and forced unwinding in threads: catch, rethrow, terminate, destructors on pthread_exit and
// cancellation.
#include <cxxabi.h>
#include <sys/resource.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "check.h"

namespace {

int destroyed;
struct Guard {
  ~Guard() { ADD(destroyed, 1); }
};

[[gnu::noinline]] int throw_at_depth(int depth) {
  Guard guard;
  if (depth == 0) throw std::runtime_error("deep");
  return throw_at_depth(depth - 1) + LOAD(destroyed);
}
void* catch_it(void* unused) {
  bool caught = false;
  try {
    throw_at_depth(10);
  } catch (const std::runtime_error& error) {
    caught = std::string(error.what()) == "deep";
  }
  CHECK(caught);
  CHECK_EQ(std::uncaught_exceptions(), 0);
  return unused;
}

void thrown_and_caught_in_a_thread() {
  destroyed = 0;
  in_thread(catch_it, nullptr);
  CHECK_EQ(destroyed, 11);
}

void* throw_with_switches(void* argument) {
  // The exception state is per thread and must follow it over switches.
  auto self = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  for (int i = 0; i < 20; i++) {
    try {
      sched_yield();
      throw self * 100 + i;
    } catch (int value) {
      sched_yield();
      CHECK_EQ(value, self * 100 + i);
      try {
        throw;
      } catch (int again) {
        sched_yield();
        CHECK_EQ(again, value);
      }
    }
  }
  return nullptr;
}

void many_threads_throw_at_once() {
  pthread_t threads[4];
  for (intptr_t i = 0; i < 4; i++) threads[i] = start(throw_with_switches, reinterpret_cast<void*>(i));
  for (auto thread : threads) join(thread);
}

[[gnu::noinline]] void exit_at_depth(int depth) {
  Guard guard;
  if (LOAD(destroyed) < 0) return;
  if (depth == 0) pthread_exit(reinterpret_cast<void*>(9));
  exit_at_depth(depth - 1);
  ADD(destroyed, 1000);
}
void* exit_deep(void*) {
  Guard guard;
  exit_at_depth(5);
  return nullptr;
}

void pthread_exit_runs_destructors() {
  destroyed = 0;
  CHECK_EQ(reinterpret_cast<intptr_t>(in_thread(exit_deep, nullptr)), 9);
  CHECK_EQ(destroyed, 7);
}

void* be_cancelled(void*) {
  Guard guard;
  pthread_cancel(pthread_self());
  pthread_testcancel();
  ADD(destroyed, 1000);
  return nullptr;
}

void cancellation_runs_destructors() {
  destroyed = 0;
  CHECK(in_thread(be_cancelled, nullptr) == PTHREAD_CANCELED);
  CHECK_EQ(destroyed, 1);
}

int seen_forced_unwind;
void* catch_forced_unwind(void*) {
  try {
    pthread_exit(reinterpret_cast<void*>(4));
  } catch (abi::__forced_unwind&) {
    seen_forced_unwind = 1;
    throw;  // must be let through
  }
  return nullptr;
}

void forced_unwinding_can_be_observed() {
  CHECK_EQ(reinterpret_cast<intptr_t>(in_thread(catch_forced_unwind, nullptr)), 4);
  CHECK_EQ(seen_forced_unwind, 1);
}

void* exit_in_handler(void*) {
  Guard guard;
  try {
    throw 1;
  } catch (int) {
    pthread_exit(reinterpret_cast<void*>(6));
  }
  return nullptr;
}

void pthread_exit_inside_a_catch_block() {
  destroyed = 0;
  CHECK_EQ(reinterpret_cast<intptr_t>(in_thread(exit_in_handler, nullptr)), 6);
  CHECK_EQ(destroyed, 1);
}

void exception_pointers_travel() {
  std::exception_ptr pointer;
  std::thread([&] {
    try {
      throw std::logic_error("travels");
    } catch (...) {
      pointer = std::current_exception();
    }
  }).join();
  bool caught = false;
  try {
    std::rethrow_exception(pointer);
  } catch (const std::logic_error& error) {
    caught = std::string(error.what()) == "travels";
  }
  CHECK(caught);
}

void no_core() {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (!freopen("/dev/null", "w", stderr)) _exit(3);
}
void uncaught_in_std_thread(void*) {
  no_core();
  std::thread([] { throw 1; }).join();
}
void* throw_one(void*) { throw 1; }
void uncaught_in_pthread(void*) {
  no_core();
  in_thread(throw_one, nullptr);
}
void joinable_thread_destroyed(void*) {
  no_core();
  std::thread thread([] {
    for (;;) sleep_ms(100);
  });
}
void throw_from_noexcept(void*) {
  no_core();
  std::thread([]() noexcept { throw_at_depth(1); }).join();
}
void own_terminate_handler(void*) {
  std::set_terminate([] { _exit(42); });
  std::thread([] { throw 1; }).join();
}
void swallowed_forced_unwind(void*) {
  no_core();
  std::thread([] {
    try {
      pthread_exit(nullptr);
    } catch (...) {  // not rethrown: fatal
    }
  }).join();
}

void uncaught_exceptions_terminate() {
  void (*ways[])(void*) = {uncaught_in_std_thread, uncaught_in_pthread, joinable_thread_destroyed,
                           throw_from_noexcept, swallowed_forced_unwind};
  for (auto way : ways) {
    int status = in_child(way, nullptr);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  }
  int status = in_child(own_terminate_handler, nullptr);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

}  // namespace

CHECK_MAIN(CASE(thrown_and_caught_in_a_thread), CASE(many_threads_throw_at_once), CASE(pthread_exit_runs_destructors),
           CASE(cancellation_runs_destructors), CASE(forced_unwinding_can_be_observed),
           CASE(pthread_exit_inside_a_catch_block), CASE(exception_pointers_travel),
           CASE(uncaught_exceptions_terminate))
