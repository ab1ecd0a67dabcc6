// The threads of C++: mutexes, condition variables, futures, atomics that wait, chrono.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "program.h"

int main() {
  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 10; round++) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return turn % 4 == i; });
        turn++;
        changed.notify_all();
      }
    });
  }
  for (auto& t : threads) t.join();
  TEST_EQ(turn, 40);
  auto future = std::async(std::launch::async, [] { return 6 * 7; });
  TEST_EQ(future.get(), 42);
  std::promise<int> promise;
  std::thread([&] { promise.set_exception(std::make_exception_ptr(std::runtime_error("text"))); }).join();
  bool caught = false;
  try {
    promise.get_future().get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  TEST(caught);
  auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  TEST(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(10));
  printf("now %lld\n", static_cast<long long>(std::chrono::system_clock::now().time_since_epoch().count()));
  return passed();
}
