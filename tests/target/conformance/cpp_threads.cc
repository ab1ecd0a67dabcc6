// The thread library of C++: thread, mutexes, condition variables, futures, call_once.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "check.h"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

template <class F>
std::errc error_of(F function) {
  try {
    function();
  } catch (const std::system_error& error) {
    return static_cast<std::errc>(error.code().value());
  }
  return std::errc{};
}

void threads() {
  int value = 0;
  std::thread thread([&] { value = 1; });
  CHECK(thread.joinable());
  CHECK(thread.get_id() != std::this_thread::get_id());
  thread.join();
  CHECK_EQ(value, 1);
  CHECK(!thread.joinable());
  CHECK(error_of([&] { thread.join(); }) == std::errc::invalid_argument);
  CHECK(error_of([&] { thread.detach(); }) == std::errc::invalid_argument);
  std::atomic<bool> done{false};
  std::thread([&] { done = true; }).detach();
  while (!done) std::this_thread::yield();
  std::thread self_join;
  std::atomic<bool> moved{false};
  std::errc error{};
  self_join = std::thread([&] {
    while (!moved) std::this_thread::yield();
    error = error_of([&] { self_join.join(); });
  });
  moved = true;
  std::this_thread::sleep_for(10ms);
  self_join.join();
  CHECK(error == std::errc::resource_deadlock_would_occur);
}

template <class Mutex>
void excludes() {
  Mutex mutex;
  long counter = 0;
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; i++)
    workers.emplace_back([&] {
      for (int n = 0; n < 100; n++) {
        std::lock_guard lock(mutex);
        long seen = counter;
        if (n % 10 == 0) std::this_thread::yield();
        counter = seen + 1;
      }
    });
  for (auto& worker : workers) worker.join();
  CHECK_EQ(counter, 300);
}

template <class Mutex>
void times_out() {
  Mutex mutex;
  mutex.lock();
  std::thread([&] {
    auto before = Clock::now();
    CHECK(!mutex.try_lock());
    CHECK(!mutex.try_lock_for(15ms));
    CHECK(Clock::now() - before >= 15ms);
    CHECK(!mutex.try_lock_until(Clock::now() + 5ms));
    CHECK(!mutex.try_lock_until(std::chrono::system_clock::now() + 5ms));
  }).join();
  mutex.unlock();
  CHECK(mutex.try_lock_for(1s));
  mutex.unlock();
}

void mutexes() {
  excludes<std::mutex>();
  excludes<std::recursive_mutex>();
  excludes<std::timed_mutex>();
  excludes<std::recursive_timed_mutex>();
  excludes<std::shared_mutex>();
  excludes<std::shared_timed_mutex>();
  times_out<std::timed_mutex>();
  times_out<std::recursive_timed_mutex>();
  times_out<std::shared_timed_mutex>();
  std::recursive_timed_mutex recursive;
  recursive.lock();
  CHECK(recursive.try_lock());
  CHECK(recursive.try_lock_for(1ms));
  for (int i = 0; i < 3; i++) recursive.unlock();
}

void lock_objects() {
  std::mutex first, second;
  std::unique_lock<std::mutex> lock(first);
  CHECK(error_of([&] { lock.lock(); }) == std::errc::resource_deadlock_would_occur);
  lock.unlock();
  CHECK(error_of([&] { lock.unlock(); }) == std::errc::operation_not_permitted);
  std::atomic<int> rounds{0};
  auto work = [&](std::mutex& a, std::mutex& b) {
    for (int i = 0; i < 50; i++) {
      std::scoped_lock both(a, b);  // deadlock-free whatever the order
      rounds++;
    }
  };
  std::thread one([&] { work(first, second); }), two([&] { work(second, first); });
  one.join();
  two.join();
  CHECK_EQ(rounds.load(), 100);
}

void shared_locks() {
  std::shared_timed_mutex mutex;
  std::shared_lock reader(mutex);
  std::thread([&] {
    CHECK(mutex.try_lock_shared());
    mutex.unlock_shared();
    CHECK(!mutex.try_lock());
    CHECK(!mutex.try_lock_for(5ms));
    CHECK(mutex.try_lock_shared_for(5ms));
    mutex.unlock_shared();
  }).join();
  reader.unlock();
  std::unique_lock writer(mutex);
  std::thread([&] {
    CHECK(!mutex.try_lock_shared());
    CHECK(!mutex.try_lock_shared_for(5ms));
  }).join();
}

template <class Condition, class Lockable>
void conditions_with() {
  Lockable mutex;
  Condition condition;
  bool ready = false;
  std::unique_lock lock(mutex);
  CHECK(condition.wait_for(lock, 10ms, [] { return false; }) == false);
  auto deadline = Clock::now() + 10ms;
  while (condition.wait_until(lock, deadline) == std::cv_status::no_timeout) continue;
  CHECK(Clock::now() >= deadline);
  CHECK(!condition.wait_until(lock, std::chrono::system_clock::now() + 5ms, [] { return false; }));
  std::thread thread([&] {
    std::lock_guard guard(mutex);
    ready = true;
    condition.notify_one();
  });
  condition.wait(lock, [&] { return ready; });
  CHECK(condition.wait_for(lock, 10s, [&] { return ready; }));
  lock.unlock();
  thread.join();
}

void conditions() {
  conditions_with<std::condition_variable, std::mutex>();
  conditions_with<std::condition_variable_any, std::mutex>();
  conditions_with<std::condition_variable_any, std::shared_mutex>();
  conditions_with<std::condition_variable_any, std::recursive_mutex>();
  std::mutex mutex;
  std::condition_variable condition;
  bool at_exit = false;
  std::thread thread([&] {
    std::unique_lock lock(mutex);
    at_exit = true;
    std::notify_all_at_thread_exit(condition, std::move(lock));
  });
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return at_exit; });
  }
  thread.join();
}

void futures() {
  std::promise<int> promise;
  auto future = promise.get_future();
  CHECK(future.wait_for(5ms) == std::future_status::timeout);
  std::thread thread([&] { promise.set_value(7); });
  CHECK_EQ(future.get(), 7);
  thread.join();
  CHECK(!future.valid());

  std::promise<void> failing;
  auto failed = failing.get_future();
  std::thread([&] { failing.set_exception(std::make_exception_ptr(std::runtime_error("no"))); }).join();
  bool caught = false;
  try {
    failed.get();
  } catch (const std::runtime_error& error) {
    caught = std::string(error.what()) == "no";
  }
  CHECK(caught);

  std::future<int> broken;
  { broken = std::promise<int>().get_future(); }
  try {
    broken.get();
    CHECK(false);
  } catch (const std::future_error& error) {
    CHECK(error.code() == std::future_errc::broken_promise);
  }

  std::promise<int> source;
  std::shared_future<int> shared = source.get_future().share();
  std::vector<std::thread> readers;
  std::atomic<int> sum{0};
  for (int i = 0; i < 3; i++) readers.emplace_back([&, shared] { sum += shared.get(); });
  source.set_value(5);
  for (auto& reader : readers) reader.join();
  CHECK_EQ(sum.load(), 15);

  std::promise<int> at_exit;
  auto late = at_exit.get_future();
  std::thread exiting([&] { at_exit.set_value_at_thread_exit(3); });
  CHECK_EQ(late.get(), 3);
  exiting.join();
}

void async_and_tasks() {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 1);
  auto sum = [&](size_t from, size_t to) {
    return std::accumulate(numbers.begin() + long(from), numbers.begin() + long(to), 0);
  };
  auto low = std::async(std::launch::async, sum, 0, 500);
  auto high = std::async(std::launch::async, sum, 500, 1000);
  CHECK_EQ(low.get() + high.get(), 500500);
  auto lazy = std::async(std::launch::deferred, [] { return std::this_thread::get_id(); });
  CHECK(lazy.wait_for(0s) == std::future_status::deferred);
  CHECK(lazy.get() == std::this_thread::get_id());
  auto throwing = std::async(std::launch::async, []() -> int { throw std::logic_error("x"); });
  bool caught = false;
  try {
    throwing.get();
  } catch (const std::logic_error&) {
    caught = true;
  }
  CHECK(caught);
  std::packaged_task<int(int)> task([](int x) { return x * 2; });
  auto doubled = task.get_future();
  std::thread(std::move(task), 21).join();
  CHECK_EQ(doubled.get(), 42);
}

void call_once_repeats_after_an_exception() {
  std::once_flag flag;
  std::atomic<int> attempts{0}, passed{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; i++)
    workers.emplace_back([&] {
      try {
        std::call_once(flag, [&] {
          if (++attempts == 1) throw std::runtime_error("first");
        });
        passed++;
      } catch (const std::runtime_error&) {
      }
    });
  for (auto& worker : workers) worker.join();
  CHECK_EQ(attempts.load(), 2);
  CHECK_EQ(passed.load(), 3);
}

int static_runs;
int make_static() {
  std::this_thread::sleep_for(2ms);
  return ++static_runs;
}
void local_statics_are_made_once() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; i++)
    workers.emplace_back([] {
      static int value = make_static();
      CHECK_EQ(value, 1);
    });
  for (auto& worker : workers) worker.join();
  CHECK_EQ(static_runs, 1);
}

}  // namespace

CHECK_MAIN(CASE(threads), CASE(mutexes), CASE(lock_objects), CASE(shared_locks), CASE(conditions), CASE(futures),
           CASE(async_and_tasks), CASE(call_once_repeats_after_an_exception), CASE(local_statics_are_made_once))
