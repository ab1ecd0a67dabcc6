// A C++20 program: a store under a std::shared_mutex that readers and writers share, a queue whose consumers wait on
// a std::condition_variable_any with a std::stop_token, and std::jthreads that their destructors stop and join. Only
// the main thread prints; the text is the same in every schedule. Ends with 1 where a result is wrong.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

class Store {
 public:
  void add(const std::string& key, int amount) {
    std::unique_lock lock(mutex_);
    values_[key] += amount;
    total_ += amount;
  }

  // Whether a reader saw the total fit the values, as it must under the lock.
  bool is_consistent() const {
    std::shared_lock lock(mutex_);
    int sum = 0;
    for (const auto& [key, value] : values_) sum += value;
    return sum == total_;
  }

  int total() const {
    std::shared_lock lock(mutex_);
    return total_;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, int> values_;
  int total_ = 0;
};

class Queue {
 public:
  void put(int item) {
    {
      std::lock_guard lock(mutex_);
      items_.push_back(item);
    }
    changed_.notify_one();
  }

  // Nothing once a stop is requested and the queue is empty.
  std::optional<int> take(std::stop_token token) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, token, [this] { return !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    const int item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<int> items_;
};

int inconsistent_reads_with_writers_and_readers(Store& store) {
  std::atomic<int> inconsistent{0};
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < 2; writer++) {
    threads.emplace_back([&store, writer] {
      for (int i = 1; i <= 50; i++) store.add("writer " + std::to_string(writer), i);
    });
  }
  for (int reader = 0; reader < 3; reader++) {
    threads.emplace_back([&store, &inconsistent] {
      for (int i = 0; i < 50; i++) {
        if (!store.is_consistent()) inconsistent++;
      }
    });
  }
  threads.clear();  // joins
  return inconsistent;
}

int sum_of_consumed_items() {
  Queue queue;
  std::atomic<int> sum{0};
  {
    std::vector<std::jthread> consumers;
    for (int i = 0; i < 3; i++) {
      consumers.emplace_back([&](std::stop_token token) {
        while (const std::optional<int> item = queue.take(token)) sum += *item;
      });
    }
    for (int item = 1; item <= 100; item++) queue.put(item);
  }  // each consumer is asked to stop, empties what is left, and is joined
  return sum;
}

int calls_of_stop_callbacks() {
  std::atomic<int> calls{0};
  std::jthread idle([&calls](std::stop_token token) {
    std::stop_callback counting(token, [&calls] {
      calls++;
      calls.notify_all();
    });
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, token, [] { return false; });
    // The wait's own callback may run first and wake us: a callback destroyed before its turn would never run.
    for (int seen = calls; seen % 10 == 0; seen = calls) calls.wait(seen);
  });
  std::stop_callback outside(idle.get_stop_token(), [&calls] { calls += 10; });
  idle.request_stop();
  idle.join();
  return calls;
}

}  // namespace

int main() {
  Store store;
  const int inconsistent = inconsistent_reads_with_writers_and_readers(store);
  std::printf("store: total %d, inconsistent reads %d\n", store.total(), inconsistent);
  const int sum = sum_of_consumed_items();
  std::printf("queue: sum %d\n", sum);
  const int calls = calls_of_stop_callbacks();
  std::printf("stop callbacks: %d\n", calls);
  return inconsistent == 0 && store.total() == 2550 && sum == 5050 && calls == 11 ? 0 : 1;
}
