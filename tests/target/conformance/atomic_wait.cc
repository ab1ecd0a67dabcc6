// What C++20 builds on futexes: std::atomic wait and notify, latch, barrier, semaphores, stop tokens.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include "check.h"

namespace {

using namespace std::chrono_literals;

template <class T>
void wait_and_notify_of() {
  std::atomic<T> value{T(0)};
  std::atomic<int> passed{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; i++)
      threads.emplace_back([&] {
        value.wait(T(0));
        CHECK(value.load() != T(0));
        passed++;
      });
    std::this_thread::sleep_for(5ms);
    CHECK_EQ(passed.load(), 0);
    value.store(T(1));
    value.notify_all();
  }
  CHECK_EQ(passed.load(), 3);
  value.wait(T(0));  // differs: returns at once
}

void wait_and_notify() {
  wait_and_notify_of<int>();        // waits on the value itself
  wait_and_notify_of<char>();       // through a proxy
  wait_and_notify_of<long long>();  // through a proxy
  std::atomic_flag flag;
  std::jthread thread([&] { flag.wait(false); });
  flag.test_and_set();
  flag.notify_one();
}

void notify_one_lets_all_pass_one_by_one() {
  std::atomic<int> permits{0};
  std::atomic<int> passed{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&] {
      for (;;) {
        int now = permits.load();
        if (now > 0 && permits.compare_exchange_strong(now, now - 1)) break;
        if (now == 0) permits.wait(0);
      }
      passed++;
    });
  for (int i = 0; i < 4; i++) {
    permits++;
    permits.notify_all();
  }
  threads.clear();
  CHECK_EQ(passed.load(), 4);
  CHECK_EQ(permits.load(), 0);
}

void latches() {
  std::latch ready(3), go(1);
  std::atomic<int> after{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([&] {
      ready.count_down();
      go.wait();
      after++;
    });
  ready.wait();
  CHECK(ready.try_wait());
  CHECK(!go.try_wait());
  CHECK_EQ(after.load(), 0);
  go.count_down();
  threads.clear();
  CHECK_EQ(after.load(), 3);
  std::latch both(2);
  std::jthread thread([&] { both.arrive_and_wait(); });
  both.arrive_and_wait();
}

void barriers() {
  int completions = 0;
  std::atomic<int> arrived{0};
  auto on_completion = [&]() noexcept {
    completions++;
    if (arrived.load() != 4 * completions) completions = -1000;
  };
  std::barrier barrier(4, on_completion);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; i++)
      threads.emplace_back([&] {
        for (int round = 0; round < 25; round++) {
          arrived++;
          barrier.arrive_and_wait();
        }
      });
  }
  CHECK_EQ(completions, 25);
  std::barrier leaving(2);
  std::jthread thread([&] { leaving.arrive_and_drop(); });
  leaving.arrive_and_wait();
  leaving.arrive_and_wait();  // alone now
}

void semaphores() {
  std::counting_semaphore<8> slots(2);
  std::binary_semaphore ping(0), pong(0);
  CHECK(slots.try_acquire());
  CHECK(slots.try_acquire());
  CHECK(!slots.try_acquire());
  auto before = std::chrono::steady_clock::now();
  CHECK(!slots.try_acquire_for(20ms));
  CHECK(std::chrono::steady_clock::now() - before >= 20ms);
  CHECK(!slots.try_acquire_until(std::chrono::system_clock::now() + 5ms));
  slots.release(2);
  slots.acquire();
  CHECK(slots.try_acquire_for(10s));
  int value = 0;
  std::jthread thread([&] {
    for (int i = 0; i < 50; i++) {
      ping.acquire();
      value++;
      pong.release();
    }
  });
  for (int i = 0; i < 50; i++) {
    CHECK_EQ(value, i);
    ping.release();
    pong.acquire();
  }
}

void stop_tokens() {
  std::atomic<bool> called{false};
  std::mutex mutex;
  std::condition_variable_any condition;
  bool stopped = false;
  std::jthread thread([&](std::stop_token token) {
    std::stop_callback callback(token, [&] { called = true; });
    std::unique_lock lock(mutex);
    condition.wait(lock, token, [] { return false; });
    stopped = token.stop_requested();
  });
  CHECK(thread.request_stop());
  CHECK(!thread.request_stop());
  thread.join();
  CHECK(stopped);
  CHECK(called.load());
}

void shared_pointers() {
  std::atomic<std::shared_ptr<int>> pointer;
  std::jthread thread([&] {
    pointer.wait(nullptr);
    CHECK_EQ(*pointer.load(), 5);
  });
  pointer.store(std::make_shared<int>(5));
  pointer.notify_all();
}

}  // namespace

CHECK_MAIN(CASE(wait_and_notify), CASE(notify_one_lets_all_pass_one_by_one), CASE(latches), CASE(barriers),
           CASE(semaphores), CASE(stop_tokens), CASE(shared_pointers))
