// cpp20_sync - the C++20 ways to wait: latch, barrier, counting_semaphore, atomic wait/notify, jthread, stop_token.
//
// Wrong:    nothing. All of them end in a raw futex, not in a pthread call.
// Needs memory-access switch points: no
#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>

namespace {

constexpr int kWorkers = 2;
constexpr int kRounds = 2;

std::latch started(kWorkers);
std::counting_semaphore<kWorkers> permits(1);
std::atomic<int> inside{0};
std::atomic<int> rounds_done{0};
std::atomic<bool> released{false};

void finish_round() noexcept { rounds_done++; }
std::barrier round_end(kWorkers, finish_round);

void work() {
  started.count_down();
  released.wait(false);
  for (int round = 0; round < kRounds; round++) {
    permits.acquire();
    const int others = inside.fetch_add(1);
    assert(others == 0 && "one permit, one worker");
    inside.fetch_sub(1);
    permits.release();
    round_end.arrive_and_wait();
  }
}

void wait_for_stop(std::stop_token token) {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::unique_lock lock(mutex);
  condition.wait(lock, token, [] { return false; });
  assert(token.stop_requested());
}

}  // namespace

int main() {
  std::jthread idle(wait_for_stop);
  {
    std::jthread first(work), second(work);
    started.wait();
    released = true;
    released.notify_all();
  }
  idle.request_stop();
  idle.join();
  assert(rounds_done == kRounds);
  std::printf("rounds %d\n", rounds_done.load());
}
